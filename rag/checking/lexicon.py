"""Small word lists for checking claims about research: what means the same, the opposite, more or less.

Written by hand for the English of abstracts. Words are compared by stem, so one form of each stands for all.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from rag.text.words import stem

# Words of one line may stand for each other in a paraphrase.
_SYNONYMS = """
improve enhance boost gain better enhancement strengthen improvement refine advance
increase raise grow rise expand higher gain more boost
decrease reduce lower drop cut shrink decline lessen diminish reduction fewer less save
fast speedup accelerate speed quick rapid faster quickly acceleration latency
slow slower slowdown latency
outperform beat surpass exceed superior better overtake
method approach technique framework system algorithm strategy model scheme procedure pipeline mechanism tool module
baseline competitor alternative rival prior previous earlier existing method model conventional standard
state-of-the-art best leading sota strongest top
show demonstrate reveal find indicate prove confirm suggest report establish
use employ utilize leverage adopt exploit apply harness rely via build base
introduce propose present develop design devise create offer describe formulate
problem challenge issue difficulty limitation bottleneck obstacle weakness drawback shortcoming
task problem job
dataset benchmark corpus testbed data suite collection
test evaluate experiment measure assess examine evaluation study investigate analyze probe try
accurate accuracy correct precise precision correctness
performance result score accuracy quality effectiveness
cost expense overhead burden price expensive compute computation computational
efficient efficiency fast cheap lightweight inexpensive economical
robust robustness resilient resistant stable resistance stability
big large massive huge substantial vast considerable significant great major large-scale
small tiny little minor modest minimal slight few negligible
many multiple several various numerous diverse different range variety
important key crucial critical essential vital necessary main central core major significance
hard difficult challenging tough
easy simple straightforward
train learn teach training fit optimize finetune tune learning
generate produce synthesize create make generation output yield write
predict forecast prediction estimate infer anticipate
detect identify recognize find spot discover detection recognition locate distinguish
understand comprehend interpret understanding explain explanation interpretation
choose select decide pick selection determine decision
picture image visual photo vision
film video clip
move motion movement action
person human people user participant
word token text language
robot robotic manipulator
query question prompt request
answer reply response
skip omit bypass avoid
combine merge fuse integrate unify mix join blend incorporate unite
divide split partition segment separate block
transform convert translate map turn transfer render recast
compress shrink compact compression condense
memory storage ram footprint
attack adversary adversarial
defend defense protect protection
remove eliminate delete discard drop omit removal
prevent avoid mitigate suppress alleviate stop reduce counter curb
keep maintain preserve retain sustain hold unchanged
need require demand requirement necessitate
help support assist aid benefit enable allow facilitate
enable allow permit let make
cause lead induce result produce drive stem
fail failure unable cannot struggle
lack miss absence without absent
miss overlook neglect ignore
goal aim objective purpose target
begin start initial
end final finish
part component element piece module stage step
weight parameter
code implementation software source
available release public publicly open open-source
new novel recent original
common typical usual standard prevalent widespread
similar comparable equivalent match equal competitive alike close
reason reasoning think thinking inference thought
guide steer direct control
change alter modify modification edit adjust vary perturb shift
gap mismatch misalignment discrepancy difference
field area domain discipline
expert specialist
structure layout
whole entire full complete total end-to-end
across over throughout
error mistake fault loss
noise noisy
guarantee proof theory theoretical prove theorem
sequence sequential series
long lengthy extended
layer level depth
hide hidden invisible unseen latent
visible observable seen
scene environment world
agent assistant
limit restrict constrain confine bound limited restricted
mostly mainly largely primarily chiefly
roughly about approximately around
consistent consistently always reliably stable uniform steady
reliable trustworthy dependable reliability trusted
fragile vulnerable brittle sensitive vulnerability
concept idea notion
balance tradeoff trade-off
extra additional added further
without no free
individual single separate each
teacher instructor
student learner
explore investigate exploration underexplored study
repeat iterate iterative recurrent repeatedly refine
discover find uncover identify
generalize transfer generalization extend
adapt adjust adaptive adaptively adaptation flexible dynamically
plug-and-play drop-in
summarize summary
rank order ordering ranking
merge averaging average mean
unify unified single common joint
real-world realistic practical real
budget sample allowance
scheme way manner
sample example instance
feature representation embedding
distribution distributional
clear obvious evident
assume assumption suppose presume believe
store keep hold cache save
gather collect acquire obtain aggregate
rendering render renderer draw
sign signature mark
provider company vendor
fool mislead deceive trick
insight observation finding
argue claim contend posit
equip give provide supply grant
achieve reach attain obtain deliver get yield
contain include comprise consist cover span comprising
derive draw extract take
handle process deal manage tackle address solve overcome resolve treat
replace substitute instead swap
initial early first
scale size large-scale scaling
setting scenario condition case situation
tell say state
weigh balance
nearly almost
lose loss drop degrade degradation sacrifice compromise
hardly barely minimal negligible slight little scarcely
tell distinguish discern separate differentiate
rewrite reformulate recast reframe
correlate relate relation relationship link correlation connection
competitive comparable par
"""

# Left and right of each pair contradict each other when said of the same thing.
_ANTONYMS = """
increase decrease; increase reduce; increase lower; raise lower; rise fall; grow shrink; gain loss; gain lose
more less; more fewer; improve degrade; improve worsen; improve hurt; improve harm; improve impair
enhance degrade; enhance impair; boost hurt; boost reduce; higher lower; high low; highest lowest; faster slower
fast slow; accelerate slow; speedup slowdown; speed slow; up down; outperform underperform; better worse
best worst; superior inferior; exceed trail; surpass trail; win lose; large small; larger smaller; big small
long short; longer shorter; wide narrow; deep shallow; thick thin; heavy light; major minor; strong weak
stronger weaker; strength weakness; robust fragile; robust brittle; robust vulnerable; stable unstable
strengthen weaken; all none; every no; always never; always rarely; often rarely; often seldom; frequent rare
everything nothing; consistently rarely; with without; include exclude; add remove; contain lack; keep discard
preserve discard; preserve destroy; retain lose; keep lose; before after; early late; earlier later; first last
begin end; start stop; start end; beginning end; open close; enter leave; supervised unsupervised
labeled unlabeled; known unknown; seen unseen; visible invisible; possible impossible; able unable
accurate inaccurate; correct incorrect; correct wrong; right wrong; true false; reliable unreliable
consistent inconsistent; easy hard; easy difficult; simple complex; simple complicated; cheap expensive
cheap costly; efficient inefficient; rich poor; upper lower; maximum minimum; maximize minimize; max min
most least; majority minority; positive negative; top bottom; over under; local global; static dynamic
homogeneous heterogeneous; dense sparse; single multiple; unified fragmented; discrete continuous
sufficient insufficient; necessary unnecessary; relevant irrelevant; beneficial harmful; useful useless
helpful harmful; benefit harm; success failure; succeed fail; successful unsuccessful; pass fail; accept reject
allow prevent; allow forbid; enable prevent; enable block; support oppose; agree disagree; confirm refute
confirm deny; prove disprove; same different; similar dissimilar; similar different; explicit implicit
linear nonlinear; convex nonconvex; symmetric asymmetric; deterministic stochastic; online offline
internal external; public private; centralized decentralized; central peripheral; synchronous asynchronous
independent dependent; balanced imbalanced; balanced unbalanced; optimal suboptimal
stationary nonstationary; rigid flexible; manual automatic; forward backward; expand narrow; expand shrink
widen narrow; compress expand; encourage discourage; attract repel; advantage disadvantage; advance hinder
help hinder; facilitate hinder; solve cause; mitigate worsen; mitigate amplify; mitigate exacerbate
alleviate worsen; alleviate exacerbate; suppress amplify; reduce amplify; minimal maximal; minimal substantial
negligible substantial; slight substantial; slight significant; safe unsafe; secure insecure; certain uncertain
clear unclear; fair unfair; aware unaware; equal unequal; complete incomplete; full partial; near far
close distant; inside outside; within outside; above below; coarse fine; general specific; abstract concrete
common rare; modern traditional; young old; buy sell; profit loss; profitable unprofitable; surplus deficit
expensive inexpensive; popular unpopular; optimistic pessimistic; conservative aggressive; sharp blunt; hot cold
warm cool; left right; male female; men women; guilty innocent; alive dead; survive die; peace war; legal illegal
love hate; like dislike; permit ban; approve reject; strongly weakly; fully partially; quickly slowly
easily hardly; significantly slightly; substantially slightly; directly indirectly; jointly separately
together separately; simultaneously sequentially; parallel sequential; explicitly implicitly; end-to-end modular
overestimate underestimate; overfit underfit; pessimism optimism; sensitive insensitive; invariant variant
bounded unbounded; untrained pretrained; trained untrained; frozen trainable; shared separate; closed open
homogenous heterogeneous; attend ignore; exploration exploitation; understand misunderstand; align misalign
alignment misalignment; match mismatch; predictable unpredictable; plausible implausible; feasible infeasible
tractable intractable; recover hide; reveal hide; reveal conceal; recover destroy; embed remove
"""

_UP = """
increase raise rise grow gain improve enhance boost higher more faster accelerate speedup outperform better exceed
surpass superior up greater larger strengthen stronger amplify expand double triple advance elevate climb jump
"""
_DOWN = """
decrease reduce lower drop fall decline less fewer cut degrade worsen slow slower worse inferior underperform down
smaller little shrink weaken weaker halve diminish hurt harm impair hinder suppress mitigate alleviate save minimize
"""

HARD_NEGATION = frozenset(
    ["not", "no", "never", "none", "cannot", "can't", "neither", "nor", "without", "n't", "nobody", "nothing"]
)
_SOFT_NEGATION = """
fail lack unable neglect overlook ignore prevent avoid instead rather hardly rarely seldom barely scarcely
impossible insufficient eliminate remove reject deny refuse absent absence free inability obviate bypass unnecessary
unchanged agnostic mitigate alleviate circumvent loss lose hinder only little despite disappear vanish
"""

# What no abstract says of its own work without saying so: a claim must find such a word, or one like it, in the text.
_BAD = """
worsen degrade deteriorate hurt harm slow slowdown inefficient unstable fragile brittle inaccurate underperform
worse inferior fail failure useless harmful unreliable ineffective insecure vulnerable poor poorly expensive
complicated suboptimal wrong incorrect impossible infeasible lose hinder inconsistent incapable forbid prevent
destroy weaken
"""

# What abstracts say of the work before them, to say next how they mend it.
_TROUBLE = """
fragility inapplicable inconsistency instability difficult hard challenging complex complicated expensive costly
limited intractable suboptimal sensitive slow
"""

# What is good to prevent, to hinder or to weaken.
_HARM = """
collapse overfit forgetting explosion vanish leakage failure hallucination misuse drift interference divergence
degeneration degradation abuse harm damage
"""

# Verbs and nouns that frame a claim about a paper and assert nothing by themselves.
_FRAMING = """
paper work study author abstract article researcher research propose introduce present describe report discuss argue
show demonstrate result finding find experiment experimental evaluation method approach technique framework model
system algorithm strategy provide aim goal consider namely e.g i.e etc specifically particular respectively called
named name thing way able make take also extensive comprehensive various include based use using used enable allow
call term work new novel team address whose let according claim conclude consist one kind type order idea main
overall achieve key compare comparison evaluate far significantly effectively state art well good effective
"""


# Words that stand in every other abstract of the field: they say little about which one a sentence is about.
_COMMON = """
neural network deep learn learning train training data dataset task representation image feature space machine input
output performance large number generate generative generation algorithm optimization function sample distribution
problem network complex complexity information language prediction classification architecture art state benchmark
existing
"""


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(word) for word in words)


def _parts(word: str) -> str:
    return stem(word.replace("-", ""))


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = {}
    for line in _SYNONYMS.strip().splitlines():
        members = {_parts(word) for word in line.split()}
        for member in members:
            groups.setdefault(member, set()).update(members)
    return {word: frozenset(members) for word, members in groups.items()}


@lru_cache(maxsize=1)
def _opposites() -> dict[str, frozenset[str]]:
    pairs: dict[str, set[str]] = {}
    for line in _ANTONYMS.strip().splitlines():
        for pair in line.split(";"):
            left, right = (_parts(word) for word in pair.split())
            pairs.setdefault(left, set()).add(right)
            pairs.setdefault(right, set()).add(left)
    return {word: frozenset(others) for word, others in pairs.items()}


def synonyms(word: str) -> frozenset[str]:
    """Return the stems that may stand for a stem in a paraphrase, itself included."""
    return _groups().get(word, frozenset()) | {word}


def antonyms(word: str) -> frozenset[str]:
    """Return the stems that contradict a stem when said of the same thing."""
    return _opposites().get(word, frozenset())


# Short prefixes ask for a longer rest, since "inform" is not the opposite of "form".
_PREFIXES = (("un", 4), ("non", 4), ("dis", 5), ("mis", 4), ("in", 6), ("im", 6), ("ir", 6))

UP = _stems(_UP.split())
DOWN = _stems(_DOWN.split())
STEADY = _stems(["keep", "preserve", "maintain", "retain", "sustain"])
COMMON = _stems(_COMMON.split())
BAD = _stems(_BAD.split())
MENDS = _stems(
    """
    mitigate alleviate reduce avoid prevent remove overcome eliminate counter solve address tackle combat handle remedy
    """.split()
)
HARM = _stems(_HARM.split())
TROUBLE = BAD | _stems(_TROUBLE.split())
SOFT_NEGATION = _stems(_SOFT_NEGATION.replace("-", "").split())
FRAMING = _stems(_FRAMING.split())


def direction(word: str) -> int:
    """Return 1 for a stem that says more or better, -1 for less or worse, 0 for any other."""
    return (word in UP) - (word in DOWN)


@lru_cache(maxsize=1)
def known_words() -> frozenset[str]:
    """Return the stems that the lists know: common words, which a capital letter does not make a name."""
    return frozenset(_groups()) | frozenset(_opposites()) | FRAMING


def opposite(left: str, right: str) -> bool:
    """Tell whether two stems contradict each other when said of the same thing."""
    return right in antonyms(left) or _negated_form(left, right) or _negated_form(right, left)


def _negated_form(word: str, plain: str) -> bool:
    """Tell whether a word is the plain one with a denying prefix: unstable, nonlinear, inaccurate."""
    if not word.endswith(plain):
        return False
    return any(word == prefix + plain and len(plain) >= least for prefix, least in _PREFIXES)
