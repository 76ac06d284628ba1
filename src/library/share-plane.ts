import { resolve } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { PlaneTicket } from './attach-control-plane.ts'
import type { Webhooks, WebhookServing } from './types/control-plane.ts'
import { libraryRoot } from './start/library-root.ts'
import { slowProgress } from './slow-progress.ts'
import { startControlPlane } from './start-control-plane.ts'
import type { StartOptions } from './types/start-options.ts'

/** The control plane of a run, as its test files get it. */
export interface ProvidedPlane extends PlaneTicket {
  /** Kubernetes version, such as `1.36.3`. */
  version: string
  /** Address of the API. */
  server: string
  /** The CA of the API's certificate, PEM. */
  certificateAuthority: string
  /** A complete kubeconfig with an administrator's credential in it. */
  kubeconfig: string
}

/** Starts the control plane of a run, provides it to all test files, and returns what stops it. */
export async function sharePlane(
  project: TestProject,
  options: StartOptions,
): Promise<() => Promise<void>> {
  using progress = slowProgress((line) => project.vitest.logger.log(`vplane: ${line}`))
  const plane = await startControlPlane({
    log: progress.log,
    ...fromRoot(options, project.config.root),
  })
  const { certificateAuthority, kubeconfig, name, server, version, webhooks } = plane
  project.provide('vplane', {
    root: libraryRoot(),
    name,
    version,
    server,
    certificateAuthority,
    kubeconfig,
    ...(webhooks === undefined ? {} : { webhooks: servingOf(webhooks) }),
  })
  return () => plane.stop()
}

/** Paths in the options of a project are meant from its root, wherever vitest was started. */
function fromRoot({ crds, webhooks, ...options }: StartOptions, root: string): StartOptions {
  const resolved = <T>(entry: T) => (typeof entry === 'string' ? resolve(root, entry) : entry)
  return {
    ...options,
    crds: crds?.map(resolved),
    webhooks: webhooks && { ...webhooks, paths: webhooks.paths?.map(resolved) },
  }
}

/** Functions cannot be sent to test files. */
function servingOf({
  certificate,
  certificateAuthority,
  host,
  key,
  port,
}: Webhooks): WebhookServing {
  return { certificate, certificateAuthority, host, key, port }
}
