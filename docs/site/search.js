// What is searched for: all words, in any order, each as the beginning of a word. Words such as "of"
// are left out, as they begin half of all others.

const COMMON = new Set("a an and are as at by for how i in is it of on or the to what with".split(" "))
const QUERY = 2 // the kind of message by which the theme asks its worker

function allWords(text) {
  if (/["+~^:*]|(^|\s)-/.test(text)) return text // in the language of lunr
  const words = text.trim().split(/\s+/)
  const wanted = words.filter(word => !COMMON.has(word.toLowerCase()))
  return (wanted.length ? wanted : words).map(word => word && `+${word}*`).join(" ")
}

const send = Worker.prototype.postMessage
Worker.prototype.postMessage = function (message, ...rest) {
  const isQuery = message && message.type === QUERY && typeof message.data === "string"
  return send.call(this, isQuery ? { ...message, data: allWords(message.data) } : message, ...rest)
}
