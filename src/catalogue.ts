/**
 * Writes what can be read from the sources: the event catalogue (docs/events.md), the fields by which the ledger knows
 * its events (domain/write-side/event-fields.json), the description of the interface (docs/openapi.json), who may call
 * what (docs/capabilities.md), the lines to which ARCHITECTURE.md leads, and the dashboard of Grafana
 * (deploy/grafana/daybook.json). `--check` writes nothing and fails when one of them is out of date.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { withLinesOf } from './catalogue/code-places.ts'
import { dashboardJson } from './catalogue/dashboard.ts'
import { readCatalogue, requiredFields } from './catalogue/events.ts'
import { markdown } from './catalogue/events-page.ts'
import { capabilityTable } from './runtime/capability-table.ts'
import { openapiDocument, surfaces } from './runtime/openapi.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

if (import.meta.main) await main()

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { check: { type: 'boolean' } } })
  const catalogue = await readCatalogue()
  const files = {
    'docs/events.md': markdown(catalogue),
    'domain/write-side/event-fields.json': requiredFields(catalogue),
    'docs/openapi.json': `${JSON.stringify(openapiDocument(), null, 2)}\n`,
    'docs/capabilities.md': capabilityTable(surfaces()),
    'ARCHITECTURE.md': await withLinesOf(ROOT, await readFile(join(ROOT, 'ARCHITECTURE.md'), 'utf8')),
    'deploy/grafana/daybook.json': dashboardJson(),
  }
  for (const [file, text] of Object.entries(files)) {
    const present = await readFile(join(ROOT, file), 'utf8').catch(() => undefined)
    if (present === text) continue
    if (values.check) {
      console.error(`${file} is out of date: run npm run catalogue`)
      process.exitCode = 1
    } else {
      await writeFile(join(ROOT, file), text)
      console.log(`wrote ${file}`)
    }
  }
}
