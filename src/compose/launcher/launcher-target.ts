import { join } from 'node:path'
import type { LauncherTarget } from '../../kubeconfig/plugin/credential-launcher.ts'
import { isSource, packageRoot } from '../../shared/package-root.ts'

/** How another process starts this vplane. */
export function launcherTarget(): LauncherTarget {
  const script = join(packageRoot(), 'bin', isSource() ? 'dev.js' : 'vplane.js')
  return { node: process.execPath, script }
}
