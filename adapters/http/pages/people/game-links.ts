import { html } from 'htm/preact'
import { CODE_MINUTES } from '../../../../domain/game/members/links.ts'
import type { GameScope, SpendScope } from '../../../../domain/game/members/scopes.ts'
import type { Reply } from '../../core/endpoint.ts'
import { fullStopAfter } from '../plain-words.ts'
import { when } from './account-frame.ts'
import { doneNotice, hiddenFields, problem } from './fields.ts'
import { gamePage } from './game-frame.ts'
import { SCOPE_WORDS, SPEND_WORDS, unitsText } from './game-words.ts'

/**
 * The links by which others play for a member: who has them, what they may do, and what they have spent today
 * (G-LNK-01, G-GEN-02, G-GEN-03).
 */

const AT = '/account/game/links'

export type ShownLink = {
  readonly linkId: string
  readonly label: string
  readonly scopes: readonly GameScope[]
  readonly grants: readonly { readonly scope: SpendScope; readonly units: number; readonly used: number }[]
  /** Undefined while nobody has claimed its code, which is good until then. */
  readonly holder: string | undefined
  readonly at: string
}

export const linksPage = (shown: { csrf: string; links: readonly ShownLink[]; said?: string | undefined }): Reply =>
  gamePage({
    csrf: shown.csrf,
    at: AT,
    title: 'Who plays for you',
    main: html`
      ${doneNotice(shown.said)}
      <p>With a link, an app or agent plays in the game for you, within what you allow it. You can take it back at any time.</p>
      ${shown.links.map((link) => linkSection(shown.csrf, link))}
      <p><a class="button" href="/account/game/links/new">Make a link</a></p>
    `,
  })

const linkSection = (csrf: string, { linkId, label, scopes, grants, holder, at }: ShownLink) => html`
  <section>
    <h2>${label}</h2>
    <p class="hint">
      ${
        holder === undefined
          ? html`Its code was not used yet. It works until ${when(at)}.`
          : html`Held by <strong>${holder}</strong> since ${when(at)}.`
      }
      ${' '}It can:
    </p>
    ${scopeList(scopes)}
    <dl>
      ${grants.map(
        ({ scope, units, used }) =>
          html`<div><dt>${SPEND_WORDS[scope]}</dt><dd>${used} of ${unitsText(units)} used today</dd></div>`,
      )}
    </dl>
    <div class="ways">
      <a href=${changePath(linkId)} aria-label=${`Change what ${label} may do`}>Change</a>
      <form method="post" action=${AT}>
        ${hiddenFields({ csrf, link_id: linkId })}
        <button type="submit" class="plain" aria-label=${`Take it back: the link ${label}`}>Take it back</button>
      </form>
    </div>
  </section>
`

const scopeList = (scopes: readonly GameScope[]) => html`
  <ul>
    ${scopes.map((scope) => html`<li>${SCOPE_WORDS[scope]}</li>`)}
  </ul>
`

export const changePath = (linkId: string): string => `/account/game/links/change?link_id=${linkId}`

export type LinkProofPage = {
  readonly csrf: string
  readonly label: string
  readonly scopes: readonly GameScope[]
  readonly grants: readonly (readonly [scope: SpendScope, units: number])[]
  readonly isNew: boolean
  readonly action: string
  /** The fields with which the form before was sent. */
  readonly carried: Readonly<Record<string, string>>
  readonly fields: unknown
  readonly scripts: readonly string[]
  readonly error: string | undefined
}

/** Says in plain words what a link will be able to do, and asks for a proof of who agrees to it. */
export const proofPage = (asked: LinkProofPage): Reply => {
  const { csrf, label, scopes, grants, isNew, action, carried, fields, scripts, error } = asked
  return gamePage({
    ...(error !== undefined && { status: 422 }),
    csrf,
    scripts,
    at: AT,
    title: isNew ? 'Make this link?' : 'Give this link more?',
    main: html`
      <p>Whoever has <strong>${label}</strong> will be able to do this for you, until you take it back:</p>
      ${scopeList(scopes)}
      <dl>
        ${grants.map(
          ([scope, units]) => html`<div><dt>${SPEND_WORDS[scope]}</dt><dd>at most ${unitsText(units)} a day</dd></div>`,
        )}
      </dl>
      ${problem(error)}
      <form method="post" action=${action}>
        ${hiddenFields({ csrf, ...carried, agreed: '1' })} ${fields}
        <button type="submit">${isNew ? 'Make the code' : 'Allow it'}</button>
      </form>
      <p class="ways"><a href=${AT}>Leave it</a></p>
    `,
  })
}

export const codePage = (made: { csrf: string; cookies: readonly string[]; code: string; label: string }): Reply =>
  gamePage({
    csrf: made.csrf,
    cookies: made.cookies,
    at: AT,
    title: 'Your link code',
    main: html`
      <p>
        Give this to the app or agent that is to play for you as <strong>${made.label}</strong>${fullStopAfter(made.label)} It is shown${' '}
        <strong>now and never again</strong>, works once, and only for ${CODE_MINUTES} minutes.
      </p>
      <p class="notice"><code>${made.code}</code></p>
      <p><a class="button" href=${AT}>Go on</a></p>
    `,
  })
