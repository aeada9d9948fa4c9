import { CommanderError } from 'commander'
import { BadSetting } from '../settings/setting-kinds.ts'

/** How a command ends badly. Exit codes: 1 found something wrong or failed, 2 was misused. */

/** Something was looked for and found wrong, or could not be done; the message is all there is to say. */
export class CommandFailure extends Error {
  override readonly name: string = 'Failed'
  /** Whether the message has several lines, which are kept. */
  readonly lines: boolean = false
}

/** The reader of our output has gone (`| head`), so there is nobody left to tell anything. */
export class BrokenPipe extends Error {
  override readonly name = 'BrokenPipe'
}

export const exitCodeOf = (error: unknown): number => {
  if (error instanceof BrokenPipe) return 0
  if (error instanceof CommanderError) return isHelp(error) ? 0 : 2
  return error instanceof BadSetting ? 2 : 1
}

/** The message of a failure; undefined when there is nothing more to say. */
export const messageOf = (error: unknown): string | undefined => {
  if (error instanceof BrokenPipe) return undefined
  if (error instanceof BadSetting || (error instanceof CommandFailure && error.lines)) return error.message
  if (!(error instanceof CommanderError)) return describe(error)
  if (isHelp(error)) return undefined
  return error.code === 'commander.help'
    ? 'a command is missing'
    : error.message.replace(/^error: /, '').replaceAll('\n', ' ')
}

/** An error in one line, also for errors of the system, which often carry no words of their own. */
export const describe = (error: unknown): string => {
  if (error instanceof AggregateError && error.message === '') return describe(error.errors[0])
  const { message, code } = error as { message?: string; code?: unknown }
  return (message || String(code ?? error)).replaceAll(/\s*\n\s*/g, ' ')
}

/** Help that was asked for; a missing command also prints it, which is `commander.help`. */
const isHelp = ({ code }: CommanderError) => code === 'commander.helpDisplayed' || code === 'commander.version'
