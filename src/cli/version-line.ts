import { packageVersion } from '../shared/package-root.ts'

/** What `vplane --version` prints: `vplane/0.1.0 linux-x64 node-v24.15.0`. */
export function versionLine(): string {
  return `vplane/${packageVersion()} ${process.platform}-${process.arch} node-${process.version}`
}
