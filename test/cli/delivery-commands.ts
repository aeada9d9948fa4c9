/** The commands on webhooks, and what they answer. */
import { daybook, type Place } from './daybook.ts'

type Listed = Record<'event_id' | 'account_id' | 'transaction_id' | 'status' | 'kind' | 'scheduled_at', string>
export type Told = {
  run: string
  dry_run: boolean
  payments: { transaction_id: string; event_id: string; status: string }[]
  left_out: { because: string }[]
}

export const list = async (place: Place, ...args: string[]): Promise<Listed[]> => {
  const { code, stdout, stderr } = await daybook(place.env, 'deliveries', 'list', '--json', ...args)
  if (code !== 0) throw new Error(stderr + stdout)
  return JSON.parse(stdout)
}

export const resend = async (place: Place, ...args: string[]): Promise<{ code: number | null; told: Told }> => {
  const { code, stdout } = await daybook(place.env, 'deliveries', 'resend', '--json', ...args)
  return { code, told: JSON.parse(stdout) }
}
