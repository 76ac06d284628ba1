import { describeOnHost } from '../../lab/describe-lab.ts'
import { testDeclaredDatabase } from '../../support/databases/declared-database-life.ts'
import { testHostDatabase } from '../../support/databases/host-database-life.ts'

describeOnHost('a plane in a host namespace with MariaDB', { shuffle: false }, () => {
  testHostDatabase('mysql')
})

describeOnHost('declared planes with MariaDB', { shuffle: false }, () => {
  testDeclaredDatabase('mysql', { isWoken: true })
})
