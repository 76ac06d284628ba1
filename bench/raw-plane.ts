import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describeComponents } from '../src/control-plane/components/describe-components.ts'
import { ADMIN, type ComponentName } from '../src/control-plane/plane/plane.ts'
import { resolveSpec } from '../src/control-plane/spec/resolve-spec.ts'
import { choosePorts } from '../src/drivers/local/store/choose-ports.ts'
import { isListening } from '../src/shared/network/ports.ts'
import { componentEnvironment } from '../src/drivers/local/components/component-environment.ts'
import { localLayout, serverOf } from '../src/drivers/local/components/local-layout.ts'
import {
  writeConfiguration,
  writeEtcdPki,
  writePlanePki,
} from '../src/drivers/local/components/write-plane-files.ts'
import { planeFolder, type PlaneFolder } from '../src/drivers/local/store/plane-folder.ts'
import type { PlaneRecord } from '../src/drivers/local/store/plane-record.ts'
import { createKubeClient, type KubeClient } from '../src/kube/client/client.ts'
import { issueCertificate } from '../src/pki/issue/issue-certificate.ts'
import { waitFor } from '../src/shared/wait.ts'
import type { Workspace } from './workspace.ts'

/** How someone would start the processes by hand. */
export type StartOrder =
  /** All three at the same time: the simplest. */
  | 'at once'
  /** Each when the one before listens: no one has to try again. */
  | 'in order'

const TIMEOUT_MS = 120_000
const POLL_MS = 10

/** What has to be there besides `/readyz`. */
const NEEDED = [
  '/api/v1/namespaces/default/serviceaccounts/default',
  '/api/v1/namespaces/default/configmaps/kube-root-ca.crt',
]

/**
 * Starts the three processes with the flags, files and certificates that vplane would give them, all made beforehand,
 * ends them again, and says how long it took until the plane was ready, in milliseconds.
 */
export async function startRawPlane(workspace: Workspace, order: StartOrder): Promise<number> {
  const { folder, record } = await prepare(workspace)
  const describe = describeComponents(record.spec, localLayout(record, folder))
  const children: ChildProcess[] = []
  const launch = (name: ComponentName) => {
    const component = describe.find((candidate) => candidate.name === name)
    const log = openSync(folder.logOf(name), 'a')
    children.push(
      spawn(workspace.binaries[name], component?.args ?? [], {
        cwd: folder.root,
        env: componentEnvironment({}, component?.env ?? {}),
        stdio: ['ignore', log, log],
      }),
    )
    closeSync(log)
  }
  await using client = createKubeClient(connectionOf(record, folder))
  try {
    const startedAt = performance.now()
    launch('etcd')
    if (order === 'in order') {
      await until(() => isListening(record.ports.etcdClient), workspace)
    }
    launch('kube-apiserver')
    if (order === 'in order') {
      await until(() => isUp(client, '/healthz'), workspace)
    }
    launch('kube-controller-manager')
    for (const path of ['/readyz', ...NEEDED]) {
      await until(() => isUp(client, path), workspace)
    }
    return performance.now() - startedAt
  } finally {
    await Promise.all(children.map((child) => end(child)))
    rmSync(folder.root, { recursive: true, force: true })
  }
}

/** Everything that is not the start of a process. */
async function prepare({ folder: parent }: Workspace) {
  const folder = planeFolder(join(parent, 'raw'))
  mkdirSync(folder.logs, { recursive: true, mode: 0o700 })
  const now = new Date()
  const record: PlaneRecord = {
    formatVersion: 1,
    writtenBy: '',
    id: 'raw',
    name: 'raw',
    createdAt: now.toISOString(),
    desired: 'running',
    hasData: false,
    isBootstrapped: false,
    userSpec: {},
    spec: resolveSpec({}),
    ports: await choosePorts(new Set()),
    bootId: '',
  }
  await writeEtcdPki(record, folder, now)
  await writePlanePki(record, folder, { now: now })
  await writeConfiguration(record, folder)
  return { folder, record }
}

function connectionOf(record: PlaneRecord, { pki }: PlaneFolder) {
  const read = (name: string) => readFileSync(join(pki, name), 'utf8')
  const { certificate, key } = issueCertificate(
    { certificate: read('ca.crt'), key: read('ca.key') },
    {
      commonName: ADMIN.user,
      organizations: ADMIN.groups,
      usages: ['clientAuth'],
      lifetimeMs: 3_600_000,
      algorithm: 'ecdsa',
      now: new Date(),
    },
  )
  return { server: serverOf(record.ports), certificateAuthority: read('ca.crt'), certificate, key }
}

async function isUp(client: KubeClient, path: string): Promise<boolean> {
  try {
    return (await client.text(path)).status === 200
  } catch {
    // Not listening yet.
    return false
  }
}

async function until(condition: () => Promise<boolean>, { signal }: Workspace): Promise<void> {
  await waitFor(condition, {
    what: 'a control plane that was started by hand',
    timeoutMs: TIMEOUT_MS,
    intervalMs: POLL_MS,
    signal,
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
}
