import { html } from 'htm/preact'
import { themeRules } from '../../../storefront/themes.ts'
import type { Reply } from '../../core/endpoint.ts'
import type { Face } from './face.ts'
import { storeFrame } from './frame.ts'
import type { StoreWords } from './messages/en.ts'
import { storeLocale } from './messages/store-locale.ts'

/** The page of a store or a product that is not there: the same whether it never was, was deleted or is closed. */

export const missingPage = (languages: string, what: keyof StoreWords['missing']): Reply => {
  const locale = storeLocale(languages)
  const { missing, missingText } = locale.words
  const [title, text] = [missing[what], missingText[what]]
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
  return storeFrame({ face: { ...NOBODY, locale }, title, description: '', canonical: undefined, main }, 404)
}

const NOBODY: Omit<Face, 'locale'> = {
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
