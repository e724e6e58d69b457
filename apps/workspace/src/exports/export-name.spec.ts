import { attachment } from './export-name';

describe(attachment.name, () => {
  it.each([
    ['../../etc/passwd', 'filename=".._.._etc_passwd.png"'.replace('".._', '"_')],
    ['a"; filename="b', 'filename="a_; filename=_b.png"'],
    ['a\r\nSet-Cookie: x', 'filename="a__Set-Cookie_ x.png"'],
    ['C:\\temp\\%41', 'filename="C__temp__41.png"'],
    ['\u202egnp', 'filename="_gnp.png"'],
  ])('lets nothing out of the name: %j', (stem, expected) => {
    expect(attachment(stem, 'png')).toBe(`attachment; ${expected}`);
  });

  it.each([undefined, '', ' ', '...', ' . '])('is called dashboard without a name: %j', (stem) => {
    expect(attachment(stem, 'pdf')).toBe('attachment; filename="dashboard.pdf"');
  });

  it('ends with the extension of the format alone, once', () => {
    expect(attachment('Revenue', 'png')).toBe('attachment; filename="Revenue.png"');
    expect(attachment('Revenue.PNG', 'png')).toBe('attachment; filename="Revenue.png"');
    expect(attachment('Revenue.pdf', 'png')).toBe('attachment; filename="Revenue.pdf.png"');
  });

  it('has letters of all languages for clients that know how', () => {
    expect(attachment("Umsatz 'März' ✓", 'png')).toBe(
      `attachment; filename="Umsatz 'M_rz' _.png"; filename*=UTF-8''Umsatz%20%27M%C3%A4rz%27%20%E2%9C%93.png`,
    );
  });
});
