import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { isRecord } from '../../../../src/shared/json-fields.ts'
import { MemoryHostApi, refusal } from '../../../support/api/memory-host-api.ts'
import { objectOf } from '../fake-cluster.ts'

interface Answers {
  /** What the user may do, as the host knows it. @default everything */
  rules?: object[]
  /** The host has another authorizer too. @default false */
  isIncomplete?: boolean
  /** The answer of that authorizer. @default no */
  allows?: (attributes: Record<string, unknown>) => boolean
  /** Refuses what is created as a dry run. @default nothing is refused */
  refuses?: (object: KubeObject) => [status: number, message: string] | undefined
  /** What it adds to what is created as a dry run. @default nothing */
  adds?: (object: KubeObject) => object
}

const EVERYTHING = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }

/** A host that says what a user may do, and what its admission refuses; and is otherwise a memory. */
export class HostWithRules extends MemoryHostApi {
  /** What was created as a dry run. */
  readonly tried: KubeObject[] = []
  /** Single rights that were asked for. */
  readonly asked: Array<Record<string, unknown>> = []
  readonly #answers: Answers

  constructor(answers: Answers = {}) {
    super()
    this.#answers = answers
  }

  override async create(
    ...[path, object, options]: Parameters<MemoryHostApi['create']>
  ): Promise<KubeObject> {
    const { adds, allows, isIncomplete = false, refuses, rules = [EVERYTHING] } = this.#answers
    if (object.kind === 'SelfSubjectRulesReview') {
      return { ...object, status: { resourceRules: rules, incomplete: isIncomplete } }
    }
    if (object.kind === 'SelfSubjectAccessReview') {
      const spec = isRecord(object['spec']) ? object['spec'] : {}
      const attributes = isRecord(spec['resourceAttributes']) ? spec['resourceAttributes'] : {}
      this.asked.push(attributes)
      return { ...object, status: { allowed: allows?.(attributes) ?? false } }
    }
    if (options?.dryRun === true) {
      this.tried.push(object)
      const refused = refuses?.(object)
      if (refused !== undefined) {
        throw refusal(...refused)
      }
      return { ...(await super.create(path, object, options)), ...adds?.(object) }
    }
    return super.create(path, object, options)
  }

  /** The same host with a namespace `team-a` and a StorageClass. */
  withTeam(labels: Record<string, string> = {}): this {
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' }
    this.add('/api/v1/namespaces', objectOf('Namespace', { name: 'team-a', labels }))
    this.add('/apis/storage.k8s.io/v1/storageclasses', {
      ...objectOf('StorageClass', { name: 'standard', annotations }),
      apiVersion: 'storage.k8s.io/v1',
    })
    return this
  }

  /** Stores an object. */
  add(collection: string, object: KubeObject): void {
    this.objects.set(`${collection}/${object.metadata.name}`, object)
  }
}
