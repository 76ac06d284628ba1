import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Plugin } from '@oclif/core'

/**
 * Writes oclif.manifest.json from the built commands: with it only the command that was called is loaded.
 *
 * Every command in dist/ is loaded here, so that one that cannot be fails the build.
 */
export async function writeManifest(root: string): Promise<number> {
  const plugin = new Plugin({
    root,
    type: 'core',
    isRoot: true,
    ignoreManifest: true,
    errorOnManifestCreate: true,
    respectNoCacheDefault: true,
  })
  await plugin.load()
  const commands = Object.entries(plugin.manifest.commands).sort(([a], [b]) => a.localeCompare(b))
  const manifest = { ...plugin.manifest, commands: Object.fromEntries(commands) }
  writeFileSync(join(root, 'oclif.manifest.json'), `${JSON.stringify(manifest)}\n`)
  return commands.length
}
