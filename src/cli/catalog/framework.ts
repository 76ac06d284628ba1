import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Config, settings } from '@oclif/core'
import { packageRoot } from '../../shared/package-root.ts'

/** The framework with all commands of src, whose types Node strips. Only for a checkout: dist has the manifest. */
export async function loadFramework(): Promise<Config> {
  const root = packageRoot()
  const pjson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  pjson.oclif.commands = { strategy: 'pattern', target: './src/commands' }
  // Otherwise it looks for tsconfig.json and silently falls back to a stale dist.
  settings.enableAutoTranspile = false
  return await Config.load({ root, pjson, ignoreManifest: true })
}
