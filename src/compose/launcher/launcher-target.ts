import { join } from 'node:path'
import type { LauncherTarget } from '../../kubeconfig/plugin/launcher-text.ts'
import { packageRoot } from '../../shared/package-root.ts'

/** This vplane, as another process is to start it. */
export function launcherTarget(): LauncherTarget {
  const root = packageRoot()
  const isBuilt = !import.meta.url.endsWith('.ts')
  return { node: process.execPath, script: join(root, 'bin', isBuilt ? 'vplane.js' : 'dev.js') }
}
