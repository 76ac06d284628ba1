import { expect, test } from 'vitest'
import { ownRulesLabels } from '../../../../src/syncer/translate/pods/own-rules-labels.ts'
import { virtualObject } from '../some-objects.ts'

const EGRESS = { 'vplane.dev/own-egress-rules': '' }
const INGRESS = { 'vplane.dev/own-ingress-rules': '' }

test.for([
  [{ podSelector: {}, policyTypes: ['Ingress'] }, INGRESS],
  [{ podSelector: {} }, INGRESS],
  [{ podSelector: {}, policyTypes: ['Egress'] }, EGRESS],
  // As everywhere, its types decide: egress rules without that type mean nothing.
  [{ podSelector: {}, policyTypes: ['Ingress'], ingress: [{}], egress: [{}] }, INGRESS],
  [
    { podSelector: {}, egress: [{}] },
    { ...EGRESS, ...INGRESS },
  ],
  [{ podSelector: { matchLabels: { app: 'web' } }, policyTypes: ['Egress'] }, EGRESS],
  [{ podSelector: { matchLabels: { app: 'db' } }, policyTypes: ['Egress', 'Ingress'] }, {}],
] as const)('a pod that %j is about has %j', ([spec, expected]) => {
  const pod = virtualObject('Pod', {}, { labels: { app: 'web' } })

  expect(ownRulesLabels(pod, [virtualObject('NetworkPolicy', { spec })])).toEqual(expected)
  expect(ownRulesLabels(pod, [])).toEqual({})
})
