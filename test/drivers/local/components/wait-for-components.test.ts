import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkRunning } from '../../../../src/drivers/local/components/wait-for-components.ts'
import { PlaneStore } from '../../../../src/drivers/local/store/plane-store.ts'
import { processTableOf } from '../../../../src/shared/processes/process-table-of.ts'
import { createSmallDisk, whyNoSmallDisk } from '../../../support/machine/small-disk.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const reason = whyNoSmallDisk()

describe.skipIf(reason !== undefined)(
  `a component that has ended${reason ? ` (${reason})` : ''}`,
  () => {
    test.for([
      [
        'says that its disk is full when it could not',
        8,
        '',
        /wrote nothing: there may be no space left .* 8 MiB are free$/,
      ],
      [
        'has its own words on a full disk',
        8,
        'no space left on device\n',
        /its last lines:\n {2}no space left on device$/,
      ],
      ['was silent for another reason', 100, '', /it wrote nothing$/],
    ] as const)('%s', async ([, sizeMib, logged, message]) => {
      using disk = createSmallDisk(sizeMib)
      const store = new PlaneStore(disk.path)
      const folder = store.folder('dev')
      const log = folder.logOf('etcd')
      mkdirSync(dirname(log), { recursive: true })
      writeFileSync(log, logged)
      const table = processTableOf(process.platform)

      const error = await rejectionOf(checkRunning({ store, table }, 'dev', ['etcd']))

      expect(error.code).toBe('COMPONENT_FAILED')
      expect(error.message).toMatch(message)
    })
  },
)
