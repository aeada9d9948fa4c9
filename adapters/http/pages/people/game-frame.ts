import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import type { PeopleFrame } from '../people-page.ts'
import { accountPage, ways } from './account-frame.ts'

/** The frame of a member's pages of the game, with the links between them below the title. */

const PAGES = {
  '/account/game': 'Characters and units',
  '/account/game/quests': 'Quests',
  '/account/game/links': 'Links',
} as const

export const gamePage = ({ at, main, ...frame }: PeopleFrame & { at: keyof typeof PAGES; csrf: string }): Reply =>
  accountPage({
    ...frame,
    at: '/account/game',
    main: html`
      ${ways('The game', PAGES, at)}
      ${main}
    `,
  })
