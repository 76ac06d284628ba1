import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compose } from '../../../src/compose/compose.ts'
import { readProcessRecord } from '../../../src/shared/processes/launch/process-record.ts'
import { processTableOf } from '../../../src/shared/processes/process-table-of.ts'
import { PlaneStore } from '../../../src/drivers/local/store/plane-store.ts'
import { processEnvironment } from '../../../src/shared/environment.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeDriver } from '../../support/contracts/driver-contract.ts'
import { RecordingUi } from '../../support/driver/recording-ui.ts'

describeDriver('local', async () => {
  const root = await mkdtemp(join(tmpdir(), 'vplane-contract-'))
  const store = new PlaneStore(root)
  const table = processTableOf(process.platform)
  const environment = processEnvironment()
  const { drivers, openApi } = compose({ environment, root, ui: new RecordingUi() })
  const [driver] = drivers
  if (driver === undefined) {
    throw new Error(`${process.platform} has no local driver`)
  }
  return {
    driver,
    openApi,
    kill: async ({ name }, component) => {
      const record = readProcessRecord(store.folder(name).processOf(component))
      if (record === undefined) {
        throw new Error(`no ${component} of "${name}" is written down`)
      }
      process.kill(record.processId, 'SIGKILL')
      await waitFor(
        () => Promise.resolve(table.startTimeOf(record.processId) !== record.startTime),
        { what: `the end of ${component}`, timeoutMs: 60_000, intervalMs: 5 },
      )
    },
    damage: ({ name }) => writeFile(store.folder(name).record, '{"formatVersion": 1,'),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
})
