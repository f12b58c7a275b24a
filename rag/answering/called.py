"""How languages, models, devices and drugs are called: who asks which it was is told by such a name alone."""

from __future__ import annotations

LANGUAGE = (
    r"\b(?:english|german|french|chinese|mandarin|cantonese|spanish|catalan|basque|portuguese|italian|romanian|dutch|danish|swedish|"
    r"norwegian|icelandic|finnish|estonian|hungarian|polish|czech|slovak|slovenian?|croatian|serbian|bulgarian|russian|ukrainian|"
    r"greek|latin|turkish|kazakh|uzbek|arabic|hebrew|persian|farsi|urdu|hindi|bengali|bangla|tamil|telugu|marathi|gujarati|punjabi|"
    r"nepali|sinhala|japanese|korean|vietnamese|thai|khmer|lao|burmese|malay|indonesian|javanese|tagalog|filipino|swahili|yoruba|"
    r"hausa|igbo|zulu|xhosa|amharic|somali|welsh|irish|breton|maltese|quechua|maori|sanskrit|monolingual|"
    r"python|java|javascript|typescript|rust|golang|haskell|ocaml|fortran|kotlin|scala|verilog|sql|matlab|julia)\b|(?<!\w)c(?:\+\+|#)"
)
MODEL = (
    r"\b(?:chat)?gpt|\b(?:llama|qwen|mi[sx]tral|gemma|gemini|claude|deepseek|falcon|vicuna|alpaca|pythia|olmo|codex|llava|whisper|"
    r"wav2vec|hubert|resnet|smollm|minilm|electra|mamba|clip|starcoder|internvl|blip|grok)[\w.-]*|\b\w*bert(?:a|[-\w]*)?\b|"
    r"(?-i:\b(?:m?T5|BART|OPT|PaLM|BLOOM|Phi|XLM|XLNet|ViT|Yi|GLM|Tulu|LSTMs?|o[134])\b)|(?-i:\b[A-Z][\w.]*-\d+(?:\.\d+)?[BM]\b)"
)
# Generic names of drugs, by their stems (WHO), and some that have none.
DRUG = (
    r"\b\w{2,}(?:mab|n?tinib|statins?|pril|sartan|olol|azole|cillin|mycin|micin|oxacin|cycline|azepine|apine|idone|azine|azepam|"
    r"azolam|oxetine|triptyline|tidine|gliptin|gliflozin|glutide|formin|ciclovir|buvir|navir|platin|taxel|rubicin|abine|"
    r"asone|olone|caine|triptan|parin|xaban|gatran|fentan[iy]l|setron|dronate|profen|fenac|coxib|barbital|curium|curonium|"
    r"flurane|thiazide|semide|terol|trexate|uracil|phosphamide|cristine|blastine)\b|"
    r"\b(?:aspirin|paracetamol|acetaminophen|morphine|codeine|tramadol|ketamine|propofol|warfarin|heparin|insulin|lithium|"
    r"valproate|phenytoin|methadone|naloxone|nicotine|tamoxifen|interferon|cisplatin|vancomycin|bcg|mmr|dopamine|"
    r"adrenaline|epinephrine|oxytocin|levodopa|digoxin|amiodarone|clopidogrel|nitroglycerin|thyroxine|estrogen|testosterone)\b"
)
DEVICE = (
    r"\b(?:[ahv]100s?|[ahv]\d{2,3}0s?|b200|gh200|p100|k80|t4|l4|l40s?|rtx|gtx|quadro|titan|tesla|nvidia|geforce|"
    r"cuda cores|amd|mi\d{3}x?|intel|xeon|epyc|ryzen|jetson|raspberry|snapdragon|apple|m[1-4] (?:max|pro|ultra|chip)|"
    r"tpu ?v\d\w*|fpgas?|gaudi|(?:single|one|two|four|eight|sixteen|\d+)(?: \w+)? (?:gpus?|tpus?|cpus?|machines?)|"
    r"(?:consumer|commodity|desktop)\S* \w+|laptops?|phones?|smartphones?|microcontrollers?|\d+ ?gb gpus?)\b"
)
