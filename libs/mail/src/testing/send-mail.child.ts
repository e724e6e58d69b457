import { Mailer } from '../mailer';

const { url } = JSON.parse(process.argv[2] ?? '') as { url: string };
const mailer = new Mailer(url, 'Plinth <plinth@acme.test>');
const mail = { to: 'ada@acme.test', messageId: '<1@acme.test>', subject: 'Sales', text: 'plain', html: '<p>rich</p>' };

void mailer
  .send(mail)
  .then(
    () => 'taken',
    (error: unknown) => (error as Error).message,
  )
  .then((said) => {
    process.stdout.write(said);
    mailer.close();
  });
