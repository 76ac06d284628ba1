import { messageOf } from '../../shared/errors.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import {
  isSelected,
  type LabelRequirement,
  parseLabelSelector,
} from '../../shared/kube/label-selector.ts'

const FIELD_TERM = /^(metadata\.name|metadata\.namespace) *(==?|!=) *([-A-Za-z0-9_.]*)$/

/** The filter for `labelSelector` and `fieldSelector` in a query, or a text that reports an invalid selector. */
export function parseSelectors(
  query: URLSearchParams,
): ((object: Pick<KubeObject, 'metadata'>) => boolean) | string {
  const ofFields = parseFields(query.get('fieldSelector') ?? '')
  if (typeof ofFields === 'string') {
    return `field selector "${ofFields}" is not supported: only metadata.name and metadata.namespace are`
  }
  try {
    const ofLabels = parseLabelSelector(query.get('labelSelector') ?? '')
    return ({ metadata: { labels = {}, name = '', namespace = '' } }) => {
      const fields = { 'metadata.name': name, 'metadata.namespace': namespace }
      return (
        isSelected({ matchExpressions: ofLabels }, labels) &&
        isSelected({ matchExpressions: ofFields }, fields)
      )
    }
  } catch (error) {
    return `unable to parse label selector: ${messageOf(error)}`
  }
}

/** The requirements of a field selector, or its first invalid term. */
function parseFields(selector: string): LabelRequirement[] | string {
  const terms = selector.trim() === '' ? [] : selector.split(',').map((term) => term.trim())
  const wrong = terms.find((term) => !FIELD_TERM.test(term))
  return (
    wrong ??
    terms.map((term) => {
      const [, key = '', operator, value = ''] = FIELD_TERM.exec(term) ?? []
      return { key, operator: operator === '!=' ? 'NotIn' : 'In', values: [value] }
    })
  )
}
