import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../src/shared/errors.ts'
import { packageRoot } from '../src/shared/package-root.ts'
import { bundle } from './build/bundle.ts'
import { writeDeclarations } from './build/declarations.ts'
import { writeManifest } from './build/manifest.ts'
import { programBundle } from './build/program-bundle.ts'
import { fastBundle } from './build/fast-bundle.ts'
import { thirdPartyNotices } from './build/third-party-notices.ts'
import { checkWeights } from './build/weights.ts'
import { copyContents } from './chart/copy-contents.ts'

try {
  await build(packageRoot())
} catch (error) {
  console.error(`the build failed: ${messageOf(error)}`)
  process.exitCode = 1
}

async function build(root: string): Promise<void> {
  const startedAt = performance.now()

  for (const made of ['dist', 'oclif.manifest.json', 'THIRD_PARTY_NOTICES']) {
    rmSync(join(root, made), { recursive: true, force: true })
  }
  const pieces = [
    await bundle(root),
    await fastBundle(root),
    await programBundle(root, 'gateway'),
    await programBundle(root, 'keeper'),
    await programBundle(root, 'syncer'),
    // After the others, with which it is compressed.
    await programBundle(root, 'operator'),
  ]
  const metafile = {
    inputs: Object.assign({}, ...pieces.map(({ inputs }) => inputs)),
    outputs: Object.assign({}, ...pieces.map(({ outputs }) => outputs)),
  }
  copyContents(root)
  writeFileSync(join(root, 'THIRD_PARTY_NOTICES'), thirdPartyNotices(root, metafile))
  const declarations = writeDeclarations(root, join(root, 'dist/types'))
  const commands = await writeManifest(root)
  const weights = checkWeights(metafile)

  for (const { module, kib, limitKib } of weights) {
    console.log(
      `${module.padEnd(26)} ${String(kib).padStart(4)} of at most ${limitKib} KiB at start`,
    )
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`built ${commands} commands and ${declarations} declaration files in ${seconds} s`)
}
