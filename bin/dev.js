#!/usr/bin/env node
// vplane from src, without a build: Node strips the types.
import { run } from '../src/cli/run.ts'

await run(process.argv.slice(2))
