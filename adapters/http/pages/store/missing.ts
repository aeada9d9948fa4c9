import { html } from 'htm/preact'
import { themeRules } from '../../../storefront/themes.ts'
import type { Reply } from '../../core/endpoint.ts'
import type { Face } from './face.ts'
import { storeFrame } from './frame.ts'

/** The page of a store or a product that is not there: the same whether it never was, was deleted or is closed. */

const WORDS = {
  store: [
    'There is no store here',
    'The address may be incomplete, or the store has closed. Please ask whoever gave it to you.',
  ],
  product: [
    'This is not for sale',
    'The address may be incomplete, or the seller has taken it back. Please ask whoever gave it to you.',
  ],
  payout: ['There is no such payout', 'The address may be incomplete. Please ask whoever gave it to you.'],
  cart: ['There is no such order', 'The address may be incomplete. Please ask whoever gave it to you.'],
} as const

export const missingPage = (what: keyof typeof WORDS): Reply => {
  const [title, text] = WORDS[what]
  const main = html`
    <section class="hero">
      <div class="wide">
        <div>
          <h1>${title}</h1>
          <p class="lead">${text}</p>
        </div>
      </div>
    </section>
  `
  return storeFrame({ face: NOBODY, title, description: '', canonical: undefined, main }, 404)
}

const NOBODY: Face = {
  title: 'Daybook',
  tagline: '',
  announcement: '',
  footer: '',
  seller: undefined,
  logo: undefined,
  logoDark: undefined,
  links: [],
  arrangement: 'classic',
  theme: 'plain',
  style: themeRules('plain', undefined, 'both'),
  home: undefined,
}
