import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { VplaneError } from '../../../src/shared/errors.ts'
import type { LabContext } from '../lab-context.ts'
import { ensureDebianFolder } from './debian-folder.ts'

/** What nodes need of Debian. Changing the list means new folder: see `VERSION`. */
const PACKAGES = [
  'busybox-static',
  'containerd',
  'containernetworking-plugins',
  'iproute2',
  'mount',
  'nftables',
  'runc',
  'util-linux',
]
const VERSION = 1

/** Programs from Debian packages, unpacked beside the machine's own. */
export interface DebianTools {
  /** The environment in which they are found and find their libraries. */
  env: Record<string, string>
  /** The folder of CNI plugins. */
  cniPlugins: string
  /** Absolute path of one of them, or of the machine's own. */
  pathOf: (program: string) => string
}

/**
 * Gets the programs that nodes run on. Packages that the machine lacks are downloaded and unpacked into the lab's
 * folder; nothing is installed, so no service is started and none is replaced.
 *
 * @throws {VplaneError} `FAILED` when they cannot be had.
 */
export async function ensureDebianTools(context: LabContext): Promise<DebianTools> {
  const packages = { name: `v${VERSION}`, packages: PACKAGES }
  return toolsIn(await ensureDebianFolder(packages, context))
}

function toolsIn(root: string): DebianTools {
  const under = ['usr/sbin', 'usr/bin', 'sbin', 'bin']
  const folders = [root, '/'].flatMap((top) => under.map((name) => join(top, name)))
  const libraries = ['usr/lib/x86_64-linux-gnu', 'usr/lib/aarch64-linux-gnu', 'usr/lib']
  return {
    env: {
      PATH: folders.join(delimiter),
      LD_LIBRARY_PATH: libraries
        .map((name) => join(root, name))
        .filter((path) => existsSync(path))
        .join(delimiter),
    },
    cniPlugins: firstOf(
      [join(root, 'usr/lib/cni'), '/usr/lib/cni', '/opt/cni/bin'],
      'the CNI plugins',
    ),
    pathOf: (program) =>
      firstOf(
        folders.map((path) => join(path, program)),
        `"${program}"`,
      ),
  }
}

function firstOf(paths: readonly string[], what: string): string {
  const found = paths.find((path) => existsSync(path))
  if (found === undefined) {
    throw new VplaneError('NOT_FOUND', `the machine has no ${what.replaceAll('"', '')}`, {
      hints: [`apt-get install ${PACKAGES.join(' ')}`],
    })
  }
  return found
}
