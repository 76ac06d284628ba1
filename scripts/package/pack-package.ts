import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

export interface PackedPackage {
  /** The tarball. */
  path: string
  /** Bytes once installed. */
  unpackedSize: number
  files: Array<{ path: string; size: number; mode: number }>
}

/** Packs what was built last, as `npm publish` would, into `folder`. It builds nothing. */
export function packPackage(root: string, folder: string): PackedPackage {
  const output = execFileSync(
    'npm',
    ['pack', '--ignore-scripts', '--json', '--pack-destination', folder],
    { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const [packed]: Array<{ filename: string } & Omit<PackedPackage, 'path'>> = JSON.parse(output)
  if (packed === undefined) {
    throw new Error('npm packed nothing')
  }
  const { filename, files, unpackedSize } = packed
  return { path: join(folder, filename), files, unpackedSize }
}
