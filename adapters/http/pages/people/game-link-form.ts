import { html } from 'htm/preact'
import { LABEL_MAX } from '../../../../domain/game/members/links.ts'
import {
  GAME_SCOPES,
  type GameScope,
  GRANT_MAX_UNITS,
  type SpendScope,
} from '../../../../domain/game/members/scopes.ts'
import { isSpendScope } from '../../../../domain/game/members/stakes.ts'
import type { Reply } from '../../core/endpoint.ts'
import { field, hiddenFields, problem } from './fields.ts'
import { gamePage } from './game-frame.ts'
import { SCOPE_WORDS, unitsText } from './game-words.ts'

/** The form in which a member says what a link may do, and how many units a day it may spend. */

export type LinkForm = {
  readonly csrf: string
  readonly cookies?: readonly string[]
  readonly isNew: boolean
  readonly action: string
  /** The label, the scopes and the units as they were typed. */
  readonly label: string
  readonly scopes: readonly GameScope[]
  readonly units: { readonly [S in SpendScope]?: string }
  readonly errors?: Readonly<Record<string, string | undefined>>
}

export const linkFormPage = (form: LinkForm): Reply => {
  const { csrf, cookies = [], isNew, action, label, errors } = form
  return gamePage({
    ...(errors && { status: 422 }),
    csrf,
    cookies,
    at: '/account/game/links',
    title: isNew ? 'Make a link' : 'Change a link',
    main: html`
      ${problem(errors?.form)}
      <form method="post" action=${action}>
        ${hiddenFields({ csrf })}
        ${field({
          name: 'label',
          label: 'What you call it',
          autocomplete: 'off',
          maxlength: LABEL_MAX,
          value: label,
          hint: 'For yourself alone, such as “Agent on my laptop”',
          error: errors?.label,
        })}
        <fieldset>
          <legend>What it may do</legend>
          ${errors?.scopes && html`<p class="error">${errors.scopes}</p>`}
          ${GAME_SCOPES.map((scope) => choice(form, scope))}
        </fieldset>
        <button type="submit">Go on</button>
      </form>
      <p class="ways"><a href="/account/game/links">Leave it</a></p>
    `,
  })
}

/** The name of the field with the units a day of a scope. */
export const unitsField = (scope: SpendScope): string => `${scope}.units`

const choice = ({ scopes, units, errors }: LinkForm, scope: GameScope) => html`
  <label class="choice">
    <input type="checkbox" name=${scope} value="1" checked=${scopes.includes(scope)} />
    <span>${SCOPE_WORDS[scope]}</span>
  </label>
  ${
    isSpendScope(scope) &&
    field({
      name: unitsField(scope),
      label: `Units a day for ${SPENT[scope]}`,
      autocomplete: 'off',
      inputmode: 'numeric',
      optional: true,
      maxlength: 9,
      value: units[scope] ?? '',
      hint: `Up to ${unitsText(GRANT_MAX_UNITS)}; empty for nothing`,
      error: errors?.[unitsField(scope)],
    })
  }
`

const SPENT: Readonly<Record<SpendScope, string>> = {
  'game.studio.spend': 'the studio',
  'game.pvp.wager': 'duels',
  'game.tournament.entry': 'tournaments',
}
