#!/usr/bin/env node
import { BadSetting, readConfig } from './config.ts'
import { serve } from './serve.ts'

const config = readConfig(process.env)
try {
  const s = await serve(config)
  console.log(s)
  process.once('SIGTERM', () => s.stop().then(() => process.exit(0)))
  process.once('SIGINT', () => s.stop().then(() => process.exit(0)))
} catch (error) {
  if (error instanceof BadSetting) console.error(error.message)
  else console.error(error)
  process.exit(2)
}
