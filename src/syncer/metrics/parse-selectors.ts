import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { isSelected, type LabelRequirement } from '../translate/label-selector.ts'

const LABEL = String.raw`([A-Za-z0-9][-A-Za-z0-9_./]*)`
const FIELD = String.raw`(metadata\.name|metadata\.namespace)`
const VALUE = String.raw`([-A-Za-z0-9_.]*)`
const VALUES = String.raw`\(([^()]*)\)`

/** The forms of a term and their operators, as in k8s.io/apimachinery/pkg/labels. */
const LABEL_TERMS = [
  termOf(`! *${LABEL}`, 'DoesNotExist'),
  termOf(LABEL, 'Exists'),
  termOf(`${LABEL} *==? *${VALUE}`, 'In'),
  termOf(`${LABEL} *!= *${VALUE}`, 'NotIn'),
  termOf(`${LABEL} +in *${VALUES}`, 'In'),
  termOf(`${LABEL} +notin *${VALUES}`, 'NotIn'),
  termOf(String.raw`${LABEL} *> *(\d+)`, 'Gt'),
  termOf(String.raw`${LABEL} *< *(\d+)`, 'Lt'),
]

const FIELD_TERMS = [
  termOf(`${FIELD} *==? *${VALUE}`, 'In'),
  termOf(`${FIELD} *!= *${VALUE}`, 'NotIn'),
]

/** The filter for `labelSelector` and `fieldSelector` in a query, or a text that reports an invalid selector. */
export function parseSelectors(
  query: URLSearchParams,
): ((object: Pick<KubeObject, 'metadata'>) => boolean) | string {
  const ofLabels = parseTerms(LABEL_TERMS, query.get('labelSelector') ?? '')
  if (typeof ofLabels === 'string') {
    return `unable to parse label selector: "${ofLabels}"`
  }
  const ofFields = parseTerms(FIELD_TERMS, query.get('fieldSelector') ?? '')
  if (typeof ofFields === 'string') {
    return `field selector "${ofFields}" is not supported: only metadata.name and metadata.namespace are`
  }
  return ({ metadata: { labels = {}, name = '', namespace = '' } }) => {
    const fields = { 'metadata.name': name, 'metadata.namespace': namespace }
    return (
      isSelected({ matchExpressions: ofLabels }, labels) &&
      isSelected({ matchExpressions: ofFields }, fields)
    )
  }
}

function parseTerms(terms: typeof LABEL_TERMS, selector: string): LabelRequirement[] | string {
  // Commas in parentheses separate values.
  const texts = selector.trim() === '' ? [] : selector.split(/,(?![^(]*\))/)
  const requirements: LabelRequirement[] = []
  for (const text of texts.map((one) => one.trim())) {
    const term = terms.find(({ form }) => form.test(text))
    if (term === undefined) {
      return text
    }
    const [, key = '', values = ''] = term.form.exec(text) ?? []
    requirements.push({ key, operator: term.operator, values: values.split(/ *, */) })
  }
  return requirements
}

function termOf(form: string, operator: string): { form: RegExp; operator: string } {
  return { form: new RegExp(`^${form}$`), operator }
}
