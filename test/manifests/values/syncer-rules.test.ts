import { expect, test } from 'vitest'
import { OPTIONAL_KINDS } from '../../../src/control-plane/spec/fields/host-spec.ts'
import { extraRules, hostRules } from '../../../src/manifests/values/syncer-rules.ts'

test.for(OPTIONAL_KINDS)('gives a syncer no right to %s when they are switched off', (kind) => {
  const resource = kind.toLowerCase()
  const rulesWith = (kinds: Partial<Record<typeof kind, boolean>>) =>
    JSON.stringify([hostRules({ kinds }, 'lease'), extraRules({ kinds })])

  expect(rulesWith({ [kind]: false })).not.toContain(resource)
  expect(rulesWith({ [kind]: true })).toContain(resource)
  expect(rulesWith({})).toContain(resource)
})
