import { html } from 'htm/preact'
import type { Reply } from '../../../core/endpoint.ts'
import { hiddenFields } from '../../people/fields.ts'
import { dashboardPage, type PageMember } from '../frame.ts'
import type { Messages } from '../messages/en.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { COPY_SCRIPT } from '../parts/address.ts'
import { dialog, notice } from '../parts/notices.ts'
import { formView, type LinkForm } from './forms.ts'
import { type LinkLine, priceOf, stateChip } from './list.ts'
import { KINDS, type LinkKind, linkAt, linksAt } from './paths.ts'
import { type PiecesView, piecesCard } from './pieces.ts'
import { shareCard } from './share.ts'

/** The page of one link: how it is passed on, a test of it, and what may be changed. */

/** What was just done. */
export type LinkDone = keyof Messages['linksDone']

export type LinkPage = {
  readonly member: PageMember
  readonly kind: LinkKind
  readonly line: LinkLine
  readonly isTest: boolean
  /** Where people buy it. */
  readonly url: string
  /** Where programs buy it, where that is another address. */
  readonly door?: string | undefined
  /** The payment that it asks for, where it asks for one. */
  readonly paymentAt?: string | undefined
  /** Undefined where nothing of it can be changed any more. */
  readonly form: LinkForm | undefined
  /** Whether it can be ended. */
  readonly mayEnd: boolean
  /** How many there are; undefined for what has no pieces. */
  readonly pieces?: PiecesView | undefined
  /** What a product has besides. */
  readonly more?: unknown
  readonly done?: LinkDone | undefined
  /** Why something was not done. */
  readonly fault?: string | undefined
}

export const linkPage = (page: LinkPage): Reply => {
  const { member, kind, line, form, done, fault } = page
  const locale = localeFor(member)
  const { links: words, linksDone } = locale.words
  const { price, coinPrice, title, id } = line
  const mayEdit = member.actor.can(KINDS[kind].edit)
  const said = price ? locale.money(price.units, price.currency) : coinPrice
  return dashboardPage({
    ...((fault !== undefined || form?.faults || page.pieces?.faults) && { status: 422 }),
    title: title || words.kinds[kind],
    member,
    current: 'products',
    scripts: [COPY_SCRIPT],
    main: html`
      <p><a href=${linksAt(kind, page.isTest ? { test: '1' } : {})}>${words.back[kind]}</a></p>
      ${notice(done && linksDone[done])} ${fault && html`<div lang="en">${notice(fault, 'bad')}</div>`}
      <section class="card" aria-labelledby="facts">
        <h2 id="facts">${words.facts}</h2>
        ${factsOf(locale, page)}
      </section>
      ${shareCard(locale, { title: title || id, url: page.url, price: said })}
      ${mayEdit && !page.isTest && testForm(locale, page)} 
      ${page.pieces && piecesCard(locale, { member, kind, id }, page.pieces)} ${page.more}
      ${
        mayEdit &&
        form &&
        html`
          <section class="card" aria-labelledby="change">
            <h2 id="change">${words.change}</h2>
            ${formView(locale, { ...form, action: linkAt(kind, id), act: 'change', csrf: member.csrf, button: words.save })}
          </section>
        `
      }
      ${mayEdit && page.mayEnd && endForm(locale, page)}
    `,
  })
}

const factsOf = (locale: Locale, { line, door, paymentAt }: LinkPage) => {
  const { links: words } = locale.words
  return html`
    <dl>
      <dt>${words.price}</dt>
      <dd>${priceOf(locale, line)}</dd>
      <dt>${words.state}</dt>
      <dd>${stateChip(locale, line.state)}</dd>
      ${line.createdAt && html`<dt>${words.made}</dt><dd>${locale.moment(line.createdAt)}</dd>`}
      ${door && html`<dt>${words.door}</dt><dd><code class="long">${door}</code></dd>`}
    </dl>
    ${paymentAt && html`<p><a class="touch" href=${paymentAt}>${words.payment}</a></p>`}
  `
}

const testForm = ({ words: { links: words } }: Locale, { member, kind, line }: LinkPage) => html`
  <section class="card" aria-labelledby="test">
    <h2 id="test">${words.test}</h2>
    <p>${words.testText}</p>
    <form method="post" action=${linkAt(kind, line.id)}>
      ${hiddenFields({ csrf: member.csrf, act: 'test' })}
      <button type="submit" class="plain">${words.testButton}</button>
    </form>
  </section>
`

const endForm = ({ words: { links: words } }: Locale, { member, kind, line }: LinkPage) =>
  dialog(
    words.end[kind],
    html`
      <p>${words.endText[kind]}</p>
      <form method="post" action=${linkAt(kind, line.id)}>
        ${hiddenFields({ csrf: member.csrf, act: 'end' })}
        <button type="submit">${words.end[kind]}</button>
      </form>
    `,
  )
