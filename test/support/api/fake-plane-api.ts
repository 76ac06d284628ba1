import type { KubeObject, WatchEvent } from '../../../src/shared/kube/kube-object.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { MemoryApi } from './memory-api.ts'

const DEFAULT_NAMESPACE = '/api/v1/namespaces/default'
const SERVICE_ACCOUNT = `${DEFAULT_NAMESPACE}/serviceaccounts/default`
const ROOT_CA = `${DEFAULT_NAMESPACE}/configmaps/kube-root-ca.crt`

/** A plane's API in memory that can be down, be not ready, and refuse objects, as a test tells it. */
export class FakePlaneApi extends MemoryApi {
  /** Whether anything answers at all. */
  isUp = true
  /** What `/readyz` says. */
  readyz = { status: 200, body: 'ok' }
  /** What `/metrics` says. */
  metrics = ''
  /** What the next creations are refused with, in order. */
  readonly refusals: Error[] = []
  /** What every watch fails with. @default none does */
  watchFailure: Error | undefined

  /** Makes what kube-controller-manager makes in every namespace. */
  runControllers(): void {
    this.makeServiceAccount()
    this.makeRootCa()
  }

  makeServiceAccount(): void {
    this.put(SERVICE_ACCOUNT, namedObject('ServiceAccount', 'default'))
  }

  makeRootCa(): void {
    this.put(ROOT_CA, namedObject('ConfigMap', 'kube-root-ca.crt'))
  }

  override async get(path: string): Promise<KubeObject | undefined> {
    this.#refuseWhenDown()
    return super.get(path)
  }

  override async create(
    path: string,
    object: KubeObject,
    options: { dryRun?: boolean } = {},
  ): Promise<KubeObject> {
    this.#refuseWhenDown()
    const refusal = this.refusals.shift()
    if (refusal !== undefined) {
      this.calls.push(`create ${path}`)
      throw refusal
    }
    return super.create(path, object, options)
  }

  override async text(path: string): Promise<{ status: number; body: string }> {
    this.#refuseWhenDown()
    await super.text(path)
    return this.readyz
  }

  override async *stream(path: string): AsyncGenerator<string> {
    await this.text(path)
    yield this.metrics
  }

  /** Understands a field selector by name. */
  override async *watch(
    path: string,
    options: { signal: AbortSignal },
  ): AsyncGenerator<WatchEvent> {
    this.#refuseWhenDown()
    this.calls.push(`watch ${path}`)
    if (this.watchFailure !== undefined) {
      throw this.watchFailure
    }
    const { pathname, searchParams } = new URL(path, 'https://plane')
    const wanted = /^metadata\.name=(.*)$/.exec(searchParams.get('fieldSelector') ?? '')?.[1]
    for await (const event of super.watch(pathname, options)) {
      if (wanted === undefined || event.object.metadata.name === wanted) {
        yield event
      }
    }
  }

  #refuseWhenDown(): void {
    if (!this.isUp) {
      throw new VplaneError('UNREACHABLE', 'cannot reach the API: nothing listens there')
    }
  }
}

function namedObject(kind: string, name: string): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name, namespace: 'default' } }
}
