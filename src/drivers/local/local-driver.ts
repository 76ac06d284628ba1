import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type {
  CreateRequest,
  Driver,
  Leftover,
  LogRequest,
  Operation,
  UnreadablePlane,
} from '../../control-plane/driver.ts'
import {
  COMPONENT_NAMES,
  type ClientCredential,
  type Endpoint,
  type Identity,
  type Plane,
  type PlaneStatus,
} from '../../control-plane/plane.ts'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { readLog } from './logs/read-log.ts'
import { trimLogs } from './logs/trim-log.ts'
import { isListening } from '../../shared/ports.ts'
import { choosePorts } from './ports.ts'
import { type PlaneRecord, toPlane } from './store/plane-record.ts'
import type { StoredFolder } from './store/plane-store.ts'
import { checkRunning } from './start/check-running.ts'
import { serverOf } from './start/local-layout.ts'
import { takenPorts } from './start/move-ports.ts'
import { runningComponents } from './start/running-components.ts'
import type { StartContext, StartOptions } from './start/start-plane.ts'
import { pausePlane } from './stop/pause-plane.ts'
import { reapPlanes } from './stop/reap-planes.ts'
import { removePlane } from './stop/remove-plane.ts'
import { maintainPlane } from './status/maintain-plane.ts'
import { planeStatus } from './status/plane-status.ts'

/**
 * Runs planes as processes of this machine, on its loopback address alone. Nothing of ours stays resident: processes
 * are detached and found again by what is written in the plane's folder.
 */
export class LocalDriver implements Driver {
  readonly name = 'local'
  readonly #context: StartContext

  constructor(context: StartContext) {
    this.#context = context
  }

  async list(): Promise<Array<Plane | UnreadablePlane>> {
    const found = await this.#context.store.list()
    return (await reapPlanes(this.#context, found)).map(toListed)
  }

  async find(name: string): Promise<Array<Plane | UnreadablePlane>> {
    const found = await this.#context.store.find(name)
    const kept = await reapPlanes(this.#context, found === undefined ? [] : [found])
    await Promise.all(kept.map(({ folder }) => trimLogs(folder)))
    return kept.map(toListed)
  }

  async create(request: CreateRequest, operation: Operation): Promise<Plane> {
    await using _lock = await this.#lock(request.name, operation)
    const stored = await this.#context.store.find(request.name)
    if (stored?.record instanceof VplaneError) {
      throw stored.record
    }
    const record = stored?.record ?? (await this.#add(request, operation))
    if (record.desired === 'paused') {
      return toPlane(record)
    }
    return toPlane(await this.#start(record, { operation, wait: request.wait }))
  }

  async start(plane: Plane, operation: Operation): Promise<void> {
    await using _lock = await this.#lock(plane.name, operation)
    const record = await this.#record(plane)
    const wanted =
      record.desired === 'running'
        ? record
        : await this.#context.store.update({ ...record, desired: 'running' })
    await this.#start(wanted, { operation, wait: true })
  }

  async pause(plane: Plane, operation: Operation): Promise<void> {
    await using _lock = await this.#lock(plane.name, operation)
    await pausePlane(this.#context, await this.#record(plane), operation)
  }

  async remove(plane: Plane | UnreadablePlane, operation: Operation): Promise<Leftover[]> {
    await using _lock = await this.#lock(plane.name, operation)
    return await removePlane(this.#context, plane.name, operation)
  }

  async isRunning(plane: Plane): Promise<boolean> {
    const { store, table } = this.#context
    const running = runningComponents(store.folder(plane.name), table)
    return (
      running.size === COMPONENT_NAMES.length &&
      isListening((await this.#record(plane)).ports.apiServer)
    )
  }

  async status(plane: Plane): Promise<PlaneStatus> {
    try {
      const record = await this.#record(plane)
      const expiry = await maintainPlane(this.#context, record)
      return await planeStatus(this.#context, record, expiry)
    } catch (error) {
      if (error instanceof VplaneError && error.code === 'CONTROL_PLANE_NOT_FOUND') {
        throw error
      }
      return { phase: 'NotReady', reason: messageOf(error), components: [] }
    }
  }

  async endpoint(plane: Plane): Promise<Endpoint> {
    const { ports } = await this.#record(plane)
    return { server: serverOf(ports), certificateAuthority: await this.#pki(plane, 'ca.crt') }
  }

  async issueCredential(
    plane: Plane,
    { groups, user }: Identity,
    lifetimeMs: number,
  ): Promise<ClientCredential> {
    const { issueCertificate } = await import('../../pki/issue-certificate.ts')
    const authority = {
      certificate: await this.#pki(plane, 'ca.crt'),
      key: await this.#pki(plane, 'ca.key'),
    }
    return issueCertificate(authority, {
      commonName: user,
      organizations: [...groups],
      usages: ['clientAuth'],
      lifetimeMs,
      algorithm: plane.spec.pki.algorithm,
      now: this.#context.now(),
    })
  }

  async checkComponents(plane: Plane): Promise<undefined> {
    const folder = this.#context.store.folder(plane.name)
    const target = { name: plane.name, folder, table: this.#context.table }
    await checkRunning(target, COMPONENT_NAMES)
  }

  logs(plane: Plane, request: LogRequest, signal: AbortSignal): AsyncIterable<string> {
    return readLog(this.#context.store.folder(plane.name).logOf(request.component), request, signal)
  }

  async #add(request: CreateRequest, operation: Operation): Promise<PlaneRecord> {
    const { now, store, table } = this.#context
    // Later starts may come from anywhere, and must not run what lies there.
    const binDir = request.binDir === undefined ? {} : { binDir: resolve(request.binDir) }
    await this.#context.findBinaries({ spec: request.spec, ...binDir }, operation)
    const ownerStart =
      request.ownerProcessId === undefined ? undefined : table.startTimeOf(request.ownerProcessId)
    await using _ports = await store.lockPorts(operation.signal)
    return await store.add({
      formatVersion: 1,
      writtenBy: '',
      id: randomUUID(),
      name: request.name,
      createdAt: now().toISOString(),
      desired: 'running',
      hasData: false,
      isBootstrapped: false,
      userSpec: request.userSpec,
      spec: request.spec,
      ports: await choosePorts(await takenPorts(store)),
      bootId: table.bootId(),
      ...binDir,
      ...(request.ownerProcessId === undefined || ownerStart === undefined
        ? {}
        : { owner: { processId: request.ownerProcessId, startTime: ownerStart } }),
    })
  }

  /** What makes certificates is loaded when it is needed: most commands start nothing. */
  async #start(record: PlaneRecord, options: StartOptions): Promise<PlaneRecord> {
    const { startPlane } = await import('./start/start-plane.ts')
    return startPlane(this.#context, record, options)
  }

  async #lock(name: string, { signal, ui }: Operation): Promise<AsyncDisposable> {
    return this.#context.store.lock(name, {
      signal,
      onWait: () => ui.step(`Waiting for another vplane that works on "${name}"`),
    })
  }

  /** The record as it is now: between two calls another vplane may have changed or removed it. */
  async #record({ id, name }: Plane): Promise<PlaneRecord> {
    const stored = await this.#context.store.find(name)
    if (stored?.record instanceof VplaneError) {
      throw stored.record
    }
    if (stored === undefined || stored.record.id !== id) {
      throw new VplaneError('CONTROL_PLANE_NOT_FOUND', `"${name}" was deleted meanwhile`, {
        hints: ['vplane list'],
      })
    }
    return stored.record
  }

  async #pki(plane: Plane, file: string): Promise<string> {
    return readFile(join(this.#context.store.folder(plane.name).pki, file), 'utf8')
  }
}

function toListed({ name, record }: StoredFolder): Plane | UnreadablePlane {
  return record instanceof VplaneError
    ? { name, driver: 'local', reason: record.message }
    : toPlane(record)
}
