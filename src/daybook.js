#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * The program as `npm start` and `daybook` begin it. It is JavaScript, so that the cache is on before the first file of
 * TypeScript is read: for a single file that is not in it, Node loads a compiler of 8 MB and keeps it.
 */

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/daybook', import.meta.url)))
await import('./cli.ts')
