import { expect, test } from 'vitest'
import { credentialsRenewed } from '../../../../src/control-plane/use-cases/rotate/credentials-renewed.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

test('waits until no Secret needs a key that the plane is about to forget', async () => {
  const { asked, renewed, ui } = await world([['flux', 'argo'], ['flux'], []])

  await renewed(5000)

  expect(asked).toHaveLength(3)
  expect(ui.steps).toEqual(['Waiting for credentials in Secrets'])
})

test('gives up when one is not renewed', async () => {
  const { renewed } = await world([['flux']])

  expect(await rejectionOf(renewed(50))).toMatchObject({ code: 'TIMED_OUT' })
})

test('does not wait for a plane without such Secrets', async () => {
  const { renewed, ui } = await world([], false)

  await renewed(50)

  expect(ui.steps).toEqual([])
})

/** A plane, and its outdated entries at each look. */
async function world(outdated: string[][], hasCredentials = true) {
  const composition = new FakeComposition({ driver: { name: 'kubernetes' } })
  const { driver, ui } = composition
  const credentials = { flux: { user: 'flux' }, argo: { user: 'argo' } }
  const plane = await composition.plane('dev', hasCredentials ? { credentials } : {})
  const asked: string[] = []
  driver.credentials = {
    state: async () => ({}),
    grant: async () => [],
    outdated: async ({ name }) => {
      asked.push(name)
      return outdated[Math.min(asked.length, outdated.length) - 1] ?? []
    },
  }
  const { signal } = new AbortController()
  const renewed = (timeoutMs: number) =>
    credentialsRenewed({ driver, plane }, { ui, timeoutMs, signal })
  return { asked, renewed, ui }
}
