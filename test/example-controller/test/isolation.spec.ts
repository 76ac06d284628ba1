import { expect } from 'vitest'
import { GROUP, PLURAL, VERSION } from '../src/greeting.ts'
import { test } from './controller-test.ts'

test('sees nothing of other files', async ({ namespace, plane }) => {
  const path = `/apis/${GROUP}/${VERSION}/namespaces/${namespace}/${PLURAL}`

  expect(await plane.api.get(path)).toMatchObject({ items: [] })
})
