import type { Fonts } from '../drawing/fonts';
import { cleanHtml } from './clean-html';
import { cleanSvg } from './clean-svg';

const clean = (markup: string) => cleanSvg(markup, 'p');
/** The head of a picture of that size. */
const png = (width: number, height: number) => {
  const head = Buffer.alloc(33);
  head.writeUInt32BE(0x89504e47, 0);
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return `data:image/png;base64,${head.toString('base64')}`;
};

describe('the drawing of a chart', () => {
  it.each([
    ['a script', '<script>alert(1)</script>'],
    ['what runs', '<rect onload="alert(1)" onclick="alert(1)"/>'],
    ['a style', '<style>@import "http://evil"</style><rect style="fill:url(http://evil)" class="a"/>'],
    ['HTML', '<foreignObject><iframe src="http://evil"/></foreignObject>'],
    ['a file', '<image href="file:///etc/passwd"/><image xlink:href="/etc/passwd"/>'],
    ['an address', '<image href="http://evil/a.png"/><feImage href="http://evil"/>'],
    ['another drawing', '<image href="data:image/svg+xml;base64,PHN2Zy8+"/><use href="#a"/>'],
    ['a picture that unpacks to gigabytes', `<image href="${png(60_000, 60_000)}"/>`],
    ['a colour from elsewhere', '<rect fill="url(http://evil#a)" stroke="url( file:///a )"/>'],
    ['a link', '<a href="javascript:alert(1)"><rect/></a>'],
    ['what is dear to draw', '<filter/><mask/><pattern/><path stroke-dasharray="0.00001 0" filter="url(#a)"/>'],
    ['an entity', '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><text>&x;</text>'],
    ['an attribute without a value', '<rect d="" fill/>'],
  ])('keeps nothing of %s', (_, markup) => {
    const kept = clean(markup);
    expect(kept).not.toMatch(/script|alert|evil|passwd"|on[a-z]+=|style|image|use|filter|dasharray|url|<a|file:/);
    expect(kept).not.toMatch(/ \w+[ />]/);
  });

  it('keeps shapes, text and small pictures, and its ids are its own', () => {
    const picture = png(16, 16);
    const markup = `<g clip-path="url(#c)"><clipPath id="c"><rect width="1"/></clipPath><text x="1" font-family="serif">a &amp; b</text><image xlink:href="${picture}"/></g>`;
    expect(clean(markup)).toBe(
      `<g clip-path="url(#p-c)"><clipPath id="p-c"><rect width="1" /></clipPath><text x="1" font-family="Noto Sans">a &amp; b</text><image href="${picture}" /></g>`,
    );
  });

  it('names another font for the letters that only that one has', () => {
    const runs = (text: string) =>
      (text.match(/東+|[^東]+/g) ?? []).map((part) => ({
        text: part,
        family: part.includes('東') ? 'Noto Sans SC' : 'Noto Sans',
      }));
    const fonts = { runs } as unknown as Fonts;
    expect(cleanSvg('<text>a &amp; 東&lt;</text>', 'p', fonts)).toBe(
      '<text font-family="Noto Sans">a &amp; <tspan font-family="Noto Sans SC">東</tspan>&lt;</text>',
    );
  });

  it('has no layer for each of many shapes that one sees through', () => {
    expect(clean('<path d="M0,0" fill="red" opacity="0.5"/>')).toBe(
      '<path d="M0,0" fill="red" fill-opacity="0.5" stroke-opacity="0.5" />',
    );
  });
});

describe('the HTML of a widget', () => {
  it('keeps text alone, and links that lead away', () => {
    const markup = `<p onclick="a()" style="x" class="plinth-note evil">a<script>alert(1)</script><img src="http://evil/a.png"><iframe src="http://evil"></iframe></p><a href="javascript:a()">b</a><a href="https://example.com">c</a>`;
    expect(cleanHtml(markup)).toBe(
      '<p class="plinth-note">a</p><span>b</span><a href="https://example.com" rel="noopener noreferrer nofollow" target="_blank">c</a>',
    );
  });
});
