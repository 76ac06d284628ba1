import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSource, packageRoot } from '../../shared/package-root.ts'
import type { CommandInfo } from './command-info.ts'

/** All commands: from the manifest of the build, or in a checkout, which has none that matches, from the source. */
export async function loadCommands(): Promise<readonly CommandInfo[]> {
  return isSource() ? await commandsOfSource() : commandsOfManifest()
}

async function commandsOfSource(): Promise<readonly CommandInfo[]> {
  const { loadFramework } = await import('./framework.ts')
  const { commands } = await loadFramework()
  return commands
}

function commandsOfManifest(): readonly CommandInfo[] {
  const manifest: { commands: Record<string, CommandInfo> } = JSON.parse(
    readFileSync(join(packageRoot(), 'oclif.manifest.json'), 'utf8'),
  )
  return Object.values(manifest.commands)
}
