import type { SecurityPlace } from '../auth/people/place.ts'
import { localeFor } from '../pages/dashboard/messages/locale.ts'
import { time } from '../pages/dashboard/parts/figures.ts'
import { securityFrame } from '../pages/dashboard/security.ts'

/** Where members change how they sign in. */
export const dashboardPlace: SecurityPlace = {
  auth: 'member',
  path: '/dashboard/security',
  frame(actor, page) {
    if (actor.kind !== 'member') throw new Error('the dashboard is for members')
    return securityFrame(actor, page)
  },
  time: (actor) => (at) => time(localeFor(actor), at),
}
