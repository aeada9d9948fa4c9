/**
 * Installs what tests need beyond npm, or says what is skipped: `npm test` runs it beside the tests that need none of
 * it. Arguments: `strict` also installs the clients of others.
 */
import { provideAccountants } from './accountants.ts'
import { provideChromium } from './chromium.ts'
import { provideClients } from './clients.ts'
import { provideLitecoind } from './litecoind.ts'

provideChromium()
provideLitecoind()
provideAccountants()
provideClients(process.argv.includes('strict'))
