import { html } from 'htm/preact'
import type { Every } from '../../../../domain/game/world/periods.ts'
import type { Reply } from '../../core/endpoint.ts'
import type { QuestProgress } from '../../core/game-progress.ts'
import { when } from './account-frame.ts'
import { doneNotice, hiddenFields, problem } from './fields.ts'
import { gamePage } from './game-frame.ts'
import { unitsText } from './game-words.ts'

/** A member's quests: how far each has come, and taking the reward of one that is done (G-QST-01). */

const AT = '/account/game/quests'

type ShownQuest = Omit<QuestProgress, 'kinds'>

export type QuestsPage = {
  readonly csrf: string
  readonly quests: readonly ShownQuest[]
  readonly season: {
    readonly slug: string
    readonly points: number
    readonly tier: string | undefined
    readonly endsAt: string
  }
  readonly streak: { readonly current: number; readonly best: number }
  readonly said?: string | undefined
  readonly error?: string
}

export const questsPage = (page: QuestsPage): Reply =>
  gamePage({
    ...(page.error !== undefined && { status: 422 }),
    csrf: page.csrf,
    at: AT,
    title: 'Your quests',
    main: html`
      ${doneNotice(page.said)} ${problem(page.error)}
      ${Object.entries(HEADINGS).map(([every, heading]) => questList(page, every as Every, heading))}
      ${standing(page)}
    `,
  })

const HEADINGS: Readonly<Record<Every, string>> = { day: 'Today', week: 'This week', season: 'This season' }

const questList = ({ csrf, quests }: QuestsPage, every: Every, heading: string) => {
  const mine = quests.filter((quest) => quest.every === every)
  return html`
    <h2>${heading}</h2>
    <p class="hint">Until ${when(mine[0]?.endsAt ?? '')}</p>
    <ul class="things">
      ${mine.map(
        (quest) => html`<li>
          <p>
            <strong>${quest.title}</strong><br />
            <span class="hint">${quest.progress} of ${quest.target}, for ${unitsText(quest.units)}</span>
          </p>
          ${
            quest.state === 'done'
              ? html`<form method="post" action=${AT}>
                  ${hiddenFields({ csrf, slug: quest.slug })}
                  <button type="submit" class="plain" aria-label=${`Take it: the reward of ${quest.title}`}>Take it</button>
                </form>`
              : html`<p class="hint">${quest.state === 'claimed' ? 'Taken' : 'To do'}</p>`
          }
        </li>`,
      )}
    </ul>
  `
}

const standing = ({ season, streak }: QuestsPage) => html`
  <section>
    <h2>Season ${season.slug}</h2>
    <dl>
      <div><dt>Points</dt><dd>${season.points}</dd></div>
      <div><dt>Tier</dt><dd>${season.tier ?? 'none yet'}</dd></div>
      <div><dt>Ends</dt><dd>${when(season.endsAt)}</dd></div>
      <div><dt>Days in a row</dt><dd>${streak.current}, at best ${streak.best}</dd></div>
    </dl>
  </section>
`
