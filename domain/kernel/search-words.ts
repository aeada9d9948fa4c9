/** How text that people write is searched: case and accents make no difference. */

/** The most words of one search; words after them do not narrow it further. */
const WORDS_MAX = 10

/** A text in the form that is searched: without accents and in lower case. */
export const foldedText = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** The words of a search, folded; all of them have to be found. */
export const wordsOf = (query: string): string[] =>
  [...new Set(foldedText(query).split(/\s+/u))].filter((word) => word !== '').slice(0, WORDS_MAX)
