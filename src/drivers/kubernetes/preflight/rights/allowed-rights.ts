import { fieldAt, recordAt, recordsAt, textsAt } from '../../../../shared/json-fields.ts'
import type { HostApi } from '../../host/host-api.ts'
import type { Right } from './needed-rights.ts'
import { unlessRefused } from '../../host/unless-refused.ts'
import type { KubeObject } from '../../../../shared/kube/kube-object.ts'

type ReviewApi = Pick<HostApi, 'create'>

const REVIEWS = '/apis/authorization.k8s.io/v1'

/**
 * Returns the rights that the user does not have in a namespace. Asks once for all rules; if the host does not know all
 * of them, because it uses another authorizer such as a cloud's IAM, also for each right that no rule grants.
 */
export async function missingRights(
  api: ReviewApi,
  rights: readonly Right[],
  options: { namespace: string; signal: AbortSignal },
): Promise<Right[]> {
  const review = await unlessRefused(
    api.create(
      `${REVIEWS}/selfsubjectrulesreviews`,
      reviewOf('SelfSubjectRulesReview', { namespace: options.namespace }),
      { signal: options.signal },
    ),
  )
  const status = recordAt(review, 'status')
  const rules = recordsAt(status, 'resourceRules')
  const unknown = rights.filter((right) => !rules.some((rule) => grants(rule, right)))
  const isComplete = status !== undefined && status['incomplete'] !== true
  if (unknown.length === 0 || isComplete) {
    return unknown
  }
  const everything = { verb: '*', group: '*', resource: '*' }
  if (await mayDo(api, everything, options)) {
    return []
  }
  const answers = await Promise.all(unknown.map((right) => mayDo(api, right, options)))
  return unknown.filter((_, index) => answers[index] === false)
}

/** Whether the user has a right; without a namespace, in the whole cluster. True also if the host gives no answer. */
export async function mayDo(
  api: ReviewApi,
  { group, resource, verb }: Pick<Right, 'group' | 'resource' | 'verb'>,
  { namespace, signal }: { namespace?: string; signal: AbortSignal },
): Promise<boolean> {
  const [name, subresource] = resource.split('/')
  const resourceAttributes = { namespace, verb, group, resource: name, subresource }
  const review = await unlessRefused(
    api.create(
      `${REVIEWS}/selfsubjectaccessreviews`,
      reviewOf('SelfSubjectAccessReview', { resourceAttributes }),
      { signal },
    ),
  )
  return fieldAt(review, 'status', 'allowed') !== false
}

function reviewOf(kind: string, spec: object): KubeObject {
  return { apiVersion: 'authorization.k8s.io/v1', kind, metadata: {}, spec }
}

/** Whether a rule grants a right to all objects; a rule with resource names does not. */
function grants(rule: unknown, { group, resource, verb }: Right): boolean {
  const has = (field: string, ...names: string[]) =>
    textsAt(rule, field).some((one) => one === '*' || names.includes(one))
  const subresource = resource.split('/')[1]
  const all = subresource === undefined ? [] : [`*/${subresource}`]
  return (
    textsAt(rule, 'resourceNames').length === 0 &&
    has('verbs', verb) &&
    has('apiGroups', group) &&
    has('resources', resource, ...all)
  )
}
