import { resolve } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { AttachOptions } from './attach-control-plane.ts'
import type { SharedControlPlane, Webhooks, WebhookServing } from './types/control-plane.ts'
import { omitUndefined } from '../shared/omit-undefined.ts'
import { libraryRoot } from './start/library-root.ts'
import { startControlPlane } from './start-control-plane.ts'
import type { StartOptions } from './types/start-options.ts'

/** The control plane of a run, as its test files get it. */
export type ProvidedPlane = AttachOptions &
  Pick<SharedControlPlane, 'certificateAuthority' | 'kubeconfig' | 'server' | 'version'>

/** How long a start takes before its progress is shown, in milliseconds: the first one may download binaries for minutes. */
const SLOW_MS = 10_000

/** Starts the control plane of a run, provides it to all test files, and returns what stops it. */
export async function sharePlane(
  project: TestProject,
  options: StartOptions,
): Promise<() => Promise<void>> {
  using progress = slowProgress((line) => project.vitest.logger.log(`vplane: ${line}`))
  const resolved = fromRoot(options, project.config.root)
  const plane = await startControlPlane({ log: progress.log, ...resolved })
  const { certificateAuthority, kubeconfig, name, server, version, webhooks } = plane
  const provided = { root: libraryRoot(), name, version, server, certificateAuthority, kubeconfig }
  const serving = webhooks && servingOf(webhooks)
  project.provide('vplane', { ...provided, ...omitUndefined({ webhooks: serving }) })
  return () => plane.stop()
}

/** Paths in the options are relative to the root of the project, wherever vitest was started. */
function fromRoot({ crds, webhooks, ...options }: StartOptions, root: string): StartOptions {
  const resolved = <T>(entry: T) => (typeof entry === 'string' ? resolve(root, entry) : entry)
  return {
    ...options,
    crds: crds?.map(resolved),
    webhooks: webhooks && { ...webhooks, paths: webhooks.paths?.map(resolved) },
  }
}

/** Functions cannot be sent to test files. */
function servingOf(webhooks: Webhooks): WebhookServing {
  const { certificate, certificateAuthority, host, key, port } = webhooks
  return { host, port, certificate, key, certificateAuthority }
}

/** Passes lines of progress on to `log` once the start is slow: the last line first, then all that follow. */
export function slowProgress(
  log: (line: string) => void,
): Disposable & { log: (line: string) => void } {
  let last: string | undefined
  let isSlow = false
  const timer = setTimeout(() => {
    isSlow = true
    if (last !== undefined) {
      log(last)
    }
  }, SLOW_MS)
  return {
    log: (line) => {
      last = line
      if (isSlow) {
        log(line)
      }
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
