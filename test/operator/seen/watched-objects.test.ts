import { expect, test } from 'vitest'
import { operatorRules } from '../../../src/drivers/kubernetes/operator/operator-rules.ts'
import { WATCHED } from '../../../src/operator/seen/watched-objects.ts'

test.for(['cluster', 'namespace'] as const)('may watch all that it watches in a %s', (scope) => {
  const rules = operatorRules(scope)
  const isGranted = (resource: string, verb: string) =>
    rules.some(({ resources, verbs }) => resources.includes(resource) && verbs.includes(verb))

  const refused = WATCHED.filter(
    ({ resource }) => !isGranted(resource, 'list') || !isGranted(resource, 'watch'),
  )

  expect(refused).toEqual([])
})
