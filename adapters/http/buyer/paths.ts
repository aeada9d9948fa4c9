import { isRefusal } from '../../../domain/kernel/refusal.ts'
import { Reply } from '../core/endpoint.ts'
import type { Door } from './doors.ts'

/** The addresses to which the steps of a buyer lead. */

export const pathOf = ({ path }: Door, id: string): string => path.replace(':id', id)

export const seeOther = (path: string, query: Readonly<Record<string, string>> = {}): Reply => {
  const text = new URLSearchParams(query).toString()
  return new Reply(303, '', { Location: `${path}${text && `?${text}`}`, 'Cache-Control': 'no-store' })
}

/** For what is sold out meanwhile: the buyer is led back to the page of the sale, which says so. */
export const noneLeft = (error: unknown): undefined => {
  if (!isRefusal(error, 'out-of-stock')) throw error
}
