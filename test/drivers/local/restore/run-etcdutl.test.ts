import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runEtcdutl } from '../../../../src/drivers/local/restore/run-etcdutl.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { fakeMachine } from '../fake-machine.ts'

test('says why it failed, and what to do', async () => {
  await using machine = fakeMachine()
  const { binDir, context, operation, root } = machine
  const record = await machine.add('dev')
  const script = '#!/bin/sh\necho first >&2\necho "hash differs" >&2\nexit 1\n'
  writeFileSync(join(binDir, 'etcdutl'), script, { mode: 0o755 })

  const restoring = runEtcdutl(context, record, {
    bump: 1,
    file: 'dev.db',
    dataFolder: join(root, 'restored'),
    operation,
  })

  expect(await rejectionOf(restoring)).toMatchObject({
    code: 'FAILED',
    message: 'etcdutl cannot restore "dev.db": hash differs',
    hints: ['vplane doctor', 'to choose another snapshot: vplane snapshot list'],
  })
})
