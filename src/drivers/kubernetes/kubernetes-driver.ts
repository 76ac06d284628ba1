import type {
  CreateRequest,
  Driver,
  EndpointOptions,
  Leftover,
  LogRequest,
  LookupScope,
  Operation,
  RemoveOptions,
  StatusOptions,
  UnreadablePlane,
} from '../../control-plane/driver.ts'
import type {
  ClientCredential,
  Endpoint,
  Identity,
  Plane,
  PlaneStatus,
} from '../../control-plane/plane.ts'
import { isName } from '../../control-plane/names.ts'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { PlaneAccess } from './access/plane-access.ts'
import { checkComponents } from './check/check-components.ts'
import { Paced } from './check/paced.ts'
import type { Host, KubernetesContext } from './context.ts'
import type { PlacedName } from './object-names.ts'
import { Looks } from './status/looks.ts'
import { isEveryComponentReady } from './status/is-as-wanted.ts'
import { listRecords, type RecordScope } from './store/list-records.ts'
import { toPlane } from './store/plane-record.ts'
import { isReadableRecord, type StoredRecord } from './store/record-store.ts'

/** How long one look at a host may take, in milliseconds. */
const LOOK_MS = 30_000

/** How long what was found of a plane's components counts, in milliseconds: whoever waits asks all the time. */
const PACE_MS = 300

/**
 * Runs planes as pods in namespaces of a host cluster. Everything about a plane lives there with it, in labelled objects;
 * nothing is kept on this machine. What changes a plane is loaded only then: most commands look for one, and go there.
 */
export class KubernetesDriver implements Driver {
  readonly name = 'kubernetes'
  readonly #context: KubernetesContext
  readonly #access: PlaneAccess
  readonly #looks = new Looks()
  readonly #checks = new Map<string, Paced<string | undefined>>()

  constructor(context: KubernetesContext) {
    this.#context = context
    this.#access = new PlaneAccess(context)
  }

  async list(scope: LookupScope = {}): Promise<Array<Plane | UnreadablePlane>> {
    return this.#list(scope)
  }

  async find(name: string, scope: LookupScope = {}): Promise<Array<Plane | UnreadablePlane>> {
    return isName(name) ? this.#list({ ...scope, name }) : []
  }

  async create(request: CreateRequest, operation: Operation): Promise<Plane> {
    const { createPlane } = await import('./create/create-plane.ts')
    const { namespace, record } = await createPlane(this.#context, request, operation)
    const { context } = await this.#context.host()
    this.#access.know(record)
    this.#checks.delete(record.id)
    return toPlane(record, { namespace, hostContext: context })
  }

  async start(plane: Plane, operation: Operation): Promise<void> {
    const { readPlane } = await import('./start/hold-plane.ts')
    const { startPlane } = await import('./start/start-plane.ts')
    const { api } = await this.#context.host()
    const stored = await readPlane(api, toPlace(plane), operation.signal)
    await startPlane(this.#context, stored, operation)
    // What was found before is over.
    this.#checks.delete(plane.id)
  }

  async pause(plane: Plane, operation: Operation): Promise<void> {
    const { readPlane } = await import('./start/hold-plane.ts')
    const { pausePlane } = await import('./start/pause-plane.ts')
    const { api } = await this.#context.host()
    const stored = await readPlane(api, toPlace(plane), operation.signal)
    await pausePlane(this.#context, stored, operation)
  }

  async remove(
    plane: Plane | UnreadablePlane,
    operation: Operation,
    { keepData }: RemoveOptions = { keepData: false },
  ): Promise<Leftover[]> {
    const { removePlane } = await import('./remove/remove-plane.ts')
    const { place } = toPlace(plane)
    const id = 'id' in plane ? { id: plane.id } : {}
    return removePlane(this.#context, { ...place, ...id }, { ...operation, keepData })
  }

  async isRunning(plane: Plane): Promise<boolean> {
    const { api } = await this.#context.host()
    return isEveryComponentReady(api, toPlace(plane).place, AbortSignal.timeout(LOOK_MS))
  }

  async status(plane: Plane, options: StatusOptions = {}): Promise<PlaneStatus> {
    const signal = AbortSignal.timeout(LOOK_MS)
    const { lookUpStatus } = await import('./status/look-up-status.ts')
    try {
      const { api } = await this.#context.host()
      const { place } = toPlace(plane)
      const look = await this.#looks.at(api, place, signal)
      const access = await this.#access.describe(plane, { ...options, signal })
      return await lookUpStatus(this.#context, { ...options, access, look, plane, signal })
    } catch (error) {
      if (error instanceof VplaneError && error.code === 'CONTROL_PLANE_NOT_FOUND') {
        throw error
      }
      return { phase: 'NotReady', reason: messageOf(error), components: [] }
    }
  }

  async endpoint(plane: Plane, options: EndpointOptions = { lasting: false }): Promise<Endpoint> {
    return this.#access.endpoint(plane, options, AbortSignal.timeout(LOOK_MS))
  }

  async issueCredential(
    plane: Plane,
    identity: Identity,
    lifetimeMs: number,
  ): Promise<ClientCredential> {
    const { issueCredential } = await import('./access/issue-credential.ts')
    const { api } = await this.#context.host()
    const { place } = toPlace(plane)
    return issueCredential(api, place, {
      identity,
      lifetimeMs,
      algorithm: plane.spec.pki.algorithm,
      now: this.#context.now(),
      signal: AbortSignal.timeout(LOOK_MS),
    })
  }

  async checkComponents(plane: Plane): Promise<string | undefined> {
    const host = await this.#context.host()
    const paced = this.#checks.get(plane.id) ?? new Paced<string | undefined>(PACE_MS)
    this.#checks.set(plane.id, paced)
    return paced.ask(() =>
      checkComponents(this.#context, host, {
        ...toPlace(plane),
        signal: AbortSignal.timeout(LOOK_MS),
      }),
    )
  }

  async *logs(plane: Plane, request: LogRequest, signal: AbortSignal): AsyncIterable<string> {
    const { readLogs } = await import('./logs/read-logs.ts')
    const { api } = await this.#context.host()
    yield* readLogs(api, { place: toPlace(plane).place, request }, signal)
  }

  async #list(scope: RecordScope): Promise<Array<Plane | UnreadablePlane>> {
    const host = await this.#context.host()
    return (await listRecords(host, scope)).map((stored) => this.#toListed(stored, host))
  }

  #toListed(stored: StoredRecord, { context: hostContext }: Host): Plane | UnreadablePlane {
    const { name, namespace } = stored
    const reference = { name, driver: 'kubernetes', namespace, hostContext } as const
    if (!isReadableRecord(stored)) {
      return { ...reference, reason: messageOf(stored.record) }
    }
    const { record } = stored
    if (record.desired === 'kept') {
      const reason = `it was deleted and its data kept: vplane create ${name} --adopt goes on with it`
      return { ...reference, reason, isKept: true }
    }
    this.#access.know(record)
    return toPlane(record, { namespace, hostContext })
  }
}

function toPlace({
  id = '',
  name,
  namespace = '',
}: Pick<Plane, 'name' | 'namespace'> & { id?: string }): {
  id: string
  place: PlacedName
} {
  return { id, place: { name, namespace } }
}
