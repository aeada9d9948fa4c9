import { html } from 'htm/preact'
import { CHARACTERS_MAX } from '../../../../domain/game/members/member.ts'
import { type CharacterClass, CLASSES } from '../../../../domain/game/world/classes.ts'
import { NAME_MAX } from '../../../../domain/use-cases/game/characters.ts'
import type { Reply } from '../../core/endpoint.ts'
import { when } from './account-frame.ts'
import { doneNotice, field, hiddenFields, problem } from './fields.ts'
import { gamePage } from './game-frame.ts'
import { CLASS_WORDS, unitsText } from './game-words.ts'

/** A member's characters, and its game units with how they came about (G-CHR-01). */

const AT = '/account/game'

type ShownCharacter = {
  readonly name: string
  readonly class: CharacterClass
  readonly level: number
  readonly galaxy: string
  readonly status: string
}

export type ShownMovement = {
  readonly at: string
  readonly what: string
  /** Units that moved; below zero when they went out. */
  readonly units: number
  readonly balance: number
}

export type GamePage = {
  readonly csrf: string
  readonly units: number
  readonly characters: readonly ShownCharacter[]
  readonly movements: readonly ShownMovement[]
  /** The path of the page with older movements; undefined when there are none. */
  readonly older: string | undefined
  readonly isFirst: boolean
  readonly wish?: { readonly name: string; readonly class: CharacterClass }
  readonly error?: string
  readonly said?: string | undefined
}

export const overviewPage = (page: GamePage): Reply =>
  gamePage({
    ...(page.error !== undefined && { status: 422 }),
    csrf: page.csrf,
    at: AT,
    title: 'Your game',
    main: html`
      ${doneNotice(page.said)} ${page.characters.length >= CHARACTERS_MAX && problem(page.error)}
      ${page.isFirst && html`${characterList(page)} ${newCharacter(page)}`}
      ${units(page)}
    `,
  })

const characterList = ({ characters }: GamePage) => html`
  <h2>Characters</h2>
  ${
    characters.length === 0
      ? html`<p>You have none yet.</p>`
      : html`<ul class="things">
          ${characters.map(
            (one) => html`<li>
              <p>
                <strong>${one.name}</strong><br />
                <span class="hint">${CLASS_WORDS[one.class][0]}, in ${one.galaxy}, ${one.status}</span>
              </p>
              <p class="number">Level ${one.level}</p>
            </li>`,
          )}
        </ul>`
  }
`

const newCharacter = ({ csrf, characters, wish, error }: GamePage) =>
  characters.length < CHARACTERS_MAX &&
  html`<section>
    <h2>A new character</h2>
    ${problem(error)}
    <form method="post" action=${AT}>
      ${hiddenFields({ csrf })}
      ${field({
        name: 'name',
        label: 'Name',
        autocomplete: 'off',
        maxlength: NAME_MAX,
        value: wish?.name,
        hint: 'All players see it. It cannot be changed',
      })}
      <div role="radiogroup" aria-label="Class">
      ${CLASSES.map(
        (each) => html`<label class="choice">
          <input type="radio" name="class" value=${each} checked=${each === wish?.class} required />
          <span><strong>${CLASS_WORDS[each][0]}</strong>: ${CLASS_WORDS[each][1]}</span>
        </label>`,
      )}
      </div>
      <button type="submit">Make it</button>
    </form>
  </section>`

const units = (page: GamePage) => html`
  <h2>Units</h2>
  <p class="sum">${unitsText(page.units)}</p>
  <p class="hint">Units are won in the game and spent in it. They are not money: nobody can buy them or have them paid out.</p>
  ${
    page.movements.length === 0
      ? html`<p>${page.isFirst ? 'Nothing has come in or gone out yet.' : 'There is nothing older.'}</p>`
      : html`<ol class="things">
          ${page.movements.map(
            ({ at, what, units: moved, balance }) => html`<li>
              <p><strong>${what}</strong><br /><span class="hint">${when(at)}</span></p>
              <p class="number">
                <strong>${moved < 0 ? `−${-moved}` : `+${moved}`}</strong><br /><span class="hint">${unitsText(balance)}</span>
              </p>
            </li>`,
          )}
        </ol>`
  }
  <p class="ways">
    ${!page.isFirst && html`<a href=${AT}>Newest</a>`} ${page.older && html`<a href=${page.older}>Older</a>`}
  </p>
`
