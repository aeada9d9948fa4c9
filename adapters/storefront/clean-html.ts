import sanitize from 'sanitize-html'
import { httpsUrl } from './https.ts'
import type { OwnImage } from './own-images.ts'

/**
 * Makes a merchant's HTML harmless: what is not on the list is left out, and what is text stays text, also where it
 * looks like a template. No element of the list has a text of its own kind, and none is of SVG or MathML, so a browser
 * reads what comes out as it was written.
 */

const TAGS = ['p', 'b', 'strong', 'i', 'em', 'br', 'a', 'ul', 'ol', 'li', 'h1', 'h2', 'h3', 'h4', 'img']

/** Elements whose content is no text for a reader, and goes with them. */
const WITH_CONTENT = [
  'script',
  'style',
  'textarea',
  'option',
  'title',
  'template',
  'noscript',
  'noframes',
  'noembed',
  'iframe',
  'object',
  'svg',
  'math',
  'xmp',
  'plaintext',
]

/** Levels of elements within each other. */
const DEPTH_MAX = 20
/** Characters that are looked at; what is stored is shorter. */
const CHARS_MAX = 32_768

export const cleanHtml = (text: string, ownImage: OwnImage): string =>
  sanitize(text.slice(0, CHARS_MAX), {
    allowedTags: TAGS,
    allowedAttributes: { a: ['href', 'rel'], img: ['src', 'alt', 'loading'] },
    allowedSchemes: ['https'],
    allowProtocolRelative: false,
    nonTextTags: WITH_CONTENT,
    nestingLimit: DEPTH_MAX,
    parseStyleAttributes: false,
    transformTags: {
      a: (tagName, { href = '' }) => {
        const url = httpsUrl(href.trim())
        return { tagName, attribs: url ? { href: url, rel: 'noopener nofollow ugc' } : {} }
      },
      img: (tagName, { src = '', alt = '' }) => ({
        tagName,
        attribs: { src: ownImage(src.trim()) ?? '', alt, loading: 'lazy' },
      }),
    },
    exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !attribs.src,
  })
