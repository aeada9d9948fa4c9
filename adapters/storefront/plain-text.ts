import sanitize from 'sanitize-html'

/** Elements whose content is no text for a reader, and goes with them. */
const WITH_CONTENT = ['script', 'style', 'textarea', 'option', 'title', 'template', 'noscript', 'iframe', 'svg', 'math']
/** Levels of elements within each other. */
const DEPTH_MAX = 20

/** The text of some HTML, with a line for each paragraph. It is text: nothing in it is HTML any more. */
export const plainText = (html: string): string =>
  sanitize(
    html.replace(ENDS_LINE, (tag) => `${tag}\n`),
    {
      allowedTags: [],
      allowedAttributes: {},
      nonTextTags: WITH_CONTENT,
      nestingLimit: DEPTH_MAX,
    },
  )
    .replace(ESCAPED, (entity) => MEANT[entity] ?? entity)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()

const ENDS_LINE = /<(?:br|\/p|\/div|\/li|\/h[1-6]|\/tr|\/ul|\/ol)\b[^<>]{0,200}>/gi

/** What the library escapes in text. */
const ESCAPED = /&(?:amp|lt|gt|quot);/g
const MEANT: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }
