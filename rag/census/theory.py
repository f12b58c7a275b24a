"""How abstracts say that something is proved: theorems, guarantees, rates, bounds and conditions, as one pattern."""

from __future__ import annotations

PROOF = (
    r"\b(?<!theorem )(?<!theorem-)(?:prove|proves|proved|proving)\b(?! (?:to be|useful|effective|difficult|hard"
    r"|crucial"
    "|essential|beneficial|successful|insufficient|inadequate|challenging|valuable|helpful|important))"
    r"|\b(?:we|our|new|simple|rigorous|formal|theoretical|first|elementary)\b[^.;]{0,60}\bproofs?\b(?! of[- ]concept)"
    r"|\bprovabl[ey]\b"
    r"|\b(?:we|our)\b[^.;]{0,80}\b(?:establish|deriv|provid|giv|obtain|present|show"
    r"|prov)\w*\b[^.;]{0,80}\b(?:guarantees?|(?:upper|lower|regret|generali[sz]ation|error|convergence|complexity"
    r"|sample|minimax|risk)[- ](?:\w+ )?(?:bounds?|rates?)|theorems?)\b"
    r"|\b(?:deriv|establish)(?:e|es|ed|ing)?\b[^.;]{0,60}\bbounds?\b"
    r"|\b(?:theoretical|convergence|optimality|consistency|regret|approximation) guarantees?\b"
    r"|\b(?:deriv|establish|show|demonstrat)\w*\b[^.;]{0,40}\btheoretical (?:(?:and|or) \w+ )?(?:advantages?"
    r"|superiority"
    r"|properties|validity|soundness|correctness|equivalence|limits?|benefits?)\b"
    r"|\btheoretically (?:show|prov|establish|guarantee|characteri[sz]|analy[sz]|demonstrat|deriv)\w*"
    r"|\b(?:guaranteed|shown|provably|proven) to converge\b(?! faster)|\bconverges? (?:at|with"
    r"|in) [^.;]{0,30}(?:\brates?\b|o\()"
    r"|\b(?:establish|deriv|obtain|provid|show|present|giv|achiev|attain|extend|demonstrat)\w*\b[^.;]{0,80}\b(?:"
    r"(?:non-?\w+|global|linear|sublinear|polynomial-time|almost sure|asymptotic) convergence"
    r"|convergence (?:rates?|analysis"
    r"|results?|theory)|rates? of convergence|asymptotic (?:normality|optimality|consistency|distribution|properties)"
    r"|optimality analysis|identifiability|(?:minimax|near|order|rate)[- ]?optimal(?:ity)? (?:rates?"
    r"|bounds?|regret|results?)"
    r"|recovery guarantees?|finite[- ]sample guarantees?|theoretical (?:results?|characteri[sz]ations?))\b"
    r"|\b(?:asymptotic )?(?:convergence|consistency|asymptotic normality)\b[^.;]{0,60}\b(?:is"
    r"|are) (?:also )?(?:established"
    r"|derived|shown|obtained|characteri[sz]ed)\b|\b(?:lower|upper) bounds?,? (?:show|prov|match)\w*"
    r"|\b(?:we|our|algorithm|which|that)\b[^.;]{0,90}\bo\(.{1,60}(?:regret|approximation|convergence"
    r"|sample|rate|amortized"
    r"|iterations|rounds|queries)"
    # "Grounded in the Riesz representation theorem" leans on a proof of others.
    r"|\b(?:we|our)\b(?:(?!\b(?:in|on|via|by|using|from|through) (?:the"
    r"|an?) )[^.;]){0,80}\btheorems?\b(?![- ]prov)|\btheorem (?:that|for|which|showing|is)\b"
    r"|\brepresenter theorem can\b"
    r"|\bwe (?:\w+ )?show\b[^.;]{0,60}\b(?:impossible|np-hard|necessary and sufficient|if and only if)\b"
    r"|\b(?:global|local|asymptotic) optimality (?:and convergence )?(?:theory|conditions?)\b"
)

# A variational bound is an objective, "agent identifiability" a setting, "close to one with guarantees" a likeness.
NO_THEOREM = (
    r"^(?!.*\b(?:prove|proof|theorem)).*(?:\b(?:variational|evidence) (?:lower |upper )?bounds?\b|\bELBO\b"
    r"|\b(?:agent|user|speaker|person|author) identifiability\b"
    r"|\b(?:close|comparable|similar|competitive|compared?) (?:to|with) [^.;]{0,50}\bwith [^.;]{0,20}\bguarantees?\b)"
)
