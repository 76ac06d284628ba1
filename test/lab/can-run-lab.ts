import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Environment } from '../../src/shared/environment.ts'
import { processEnvironment } from '../../src/shared/environment.ts'

/** What is known of a machine. */
export interface Machine {
  platform: NodeJS.Platform
  userId: number | undefined
  environment: Environment
  exists: (path: string) => boolean
}

/** Programs that are not unpacked from packages: with them the others are fetched. */
const NEEDED = ['apt-get', 'dpkg-deb', 'go', 'sh', 'tar']

/**
 * Why `startLab` cannot have a cluster on this machine, in a few words; undefined when it can. A cluster that is not a
 * test's own may be someone's that is there already.
 */
export function canRunLab(
  { isOwn = false }: { isOwn?: boolean } = {},
  machine: Machine = thisMachine(),
): string | undefined {
  const { environment, exists, platform, userId } = machine
  if (!isOwn && (environment['VPLANE_TEST_KUBECONFIG'] ?? '') !== '') {
    return undefined
  }
  if (platform !== 'linux') {
    return `it needs Linux, and this is "${platform}"`
  }
  if (userId !== 0) {
    return 'it needs root'
  }
  if (
    !['/sys/fs/cgroup/cgroup.controllers', '/sys/fs/cgroup/memory'].some((path) => exists(path))
  ) {
    return 'it needs control groups at /sys/fs/cgroup'
  }
  const folders = (environment['PATH'] ?? '').split(delimiter)
  const missing = NEEDED.filter((name) => !folders.some((folder) => exists(join(folder, name))))
  return missing.length > 0 ? `it needs ${missing.join(', ')}` : undefined
}

function thisMachine(): Machine {
  return {
    platform: process.platform,
    userId: process.getuid?.(),
    environment: processEnvironment(),
    exists: existsSync,
  }
}
