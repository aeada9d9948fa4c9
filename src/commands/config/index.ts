import type { Command } from 'commander'
import type { Shell } from '../../books/shell.ts'

/** `daybook config …`: whether the settings are right, and which are in effect. */
export const declareConfig = (program: Command, { out, given, judge }: Shell): void => {
  const config = program.command('config').description('whether the settings are right, and which are in effect')

  config
    .command('check')
    .description('read every setting and ask everything outside that they name; it starts and writes nothing')
    .action(async () => {
      const { checkConfig } = await import('./check.ts')
      await judge(checkConfig(given(), out))
    })

  config
    .command('show')
    .description('every setting with its value, secrets veiled, and where it comes from')
    .action(async () => {
      const { showConfig } = await import('./show.ts')
      await showConfig(given(), out)
    })
}
