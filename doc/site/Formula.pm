# Formulas as browsers draw them without fonts or scripts: a subset of TeX's mathematics to MathML.
#
#     mathml('\tfrac12 v^T M v', 0)     an inline formula; 1: a displayed one
#
# It dies with a sentence on a command that it does not know: a formula is never shown half.
package Formula;
use strict;
use warnings;
use utf8;
use Exporter 'import';
our @EXPORT_OK = ('mathml');

my %letter = (
    alpha => 'α', beta => 'β', gamma => 'γ', delta => 'δ', epsilon => 'ϵ', varepsilon => 'ε', zeta => 'ζ', eta => 'η',
    theta => 'θ', vartheta => 'ϑ', kappa => 'κ', lambda => 'λ', mu => 'μ', nu => 'ν', xi => 'ξ', pi => 'π', rho => 'ρ',
    sigma => 'σ', tau => 'τ', phi => 'ϕ', varphi => 'φ', chi => 'χ', psi => 'ψ', omega => 'ω', Gamma => 'Γ',
    Delta => 'Δ', Theta => 'Θ', Lambda => 'Λ', Xi => 'Ξ', Pi => 'Π', Sigma => 'Σ', Phi => 'Φ', Psi => 'Ψ', Omega => 'Ω',
    ell => 'ℓ', infty => '∞', partial => '∂', top => '⊤', nabla => '∇', emptyset => '∅',
);
my %sign = (
    cdot => '⋅', times => '×', otimes => '⊗', circ => '∘', pm => '±', mp => '∓', le => '≤', leq => '≤', ge => '≥',
    geq => '≥', ne => '≠', neq => '≠', approx => '≈', in => '∈', ni => '∋', perp => '⟂', to => '→', rightarrow => '→',
    leftarrow => '←', Rightarrow => '⇒', mapsto => '↦', sum => '∑', prod => '∏', int => '∫', ldots => '…', dots => '…',
    cdots => '⋯', backslash => '\\', cup => '∪', cap => '∩', setminus => '∖', sim => '∼', ll => '≪', gg => '≫',
    equiv => '≡', propto => '∝', colon => ':', mid => '|', subset => '⊂', forall => '∀', exists => '∃', wedge => '∧',
);
my %fence = ('(' => '(', ')' => ')', '[' => '[', ']' => ']', '\{' => '{', '\}' => '}', '|' => '|', '\|' => '‖',
    '\lvert' => '|', '\rvert' => '|', '\lVert' => '‖', '\rVert' => '‖', '\langle' => '⟨', '\rangle' => '⟩', '.' => '',
    '/' => '/', '\lfloor' => '⌊', '\rfloor' => '⌋', '\lceil' => '⌈', '\rceil' => '⌉');
my %word = map { $_ => 1 } qw(sin cos tan arcsin arccos arctan sinh cosh tanh exp log ln max min arg det lim sup inf);
my %accent = (hat => '^', tilde => '~', bar => '¯', dot => '˙', ddot => '¨', vec => '→', overline => '¯', widehat => '^');
my %space = (',' => 0.17, ':' => 0.22, ';' => 0.28, '!' => -0.17, ' ' => 0.25, "\n" => 0.25, quad => 1, qquad => 2);
my %style = (mathrm => 'normal', mathtt => 'monospace', texttt => 'monospace', mathbf => 'bold', text => 'text',
    operatorname => 'word', mathbb => 'double', textrm => 'text');
my %size = (big => 1.2, Big => 1.8, bigl => 1.2, bigr => 1.2, Bigl => 1.8, Bigr => 1.8);
my %double = (R => 'ℝ', N => 'ℕ', Z => 'ℤ', S => '𝕊');

my @token; # what is left of the formula
my $display;

sub escape {
    my ($text) = @_;
    $text =~ s/&/&amp;/g;
    $text =~ s/</&lt;/g;
    $text =~ s/>/&gt;/g;
    $text =~ s/\|/&#124;/g; # a column of a table would begin
    return $text;
}

sub element {
    my ($name, $inside, $more) = @_;
    return "<$name" . ($more ? " $more" : '') . ">$inside</$name>";
}

sub sign { return element('mo', escape($_[0]), $_[1]) }

# a fence that keeps its size
sub fence { return sign($_[0], 'stretchy="false"') }

sub peek { return @token ? $token[0] : '' }

sub expect {
    my ($wanted) = @_;
    my $got = shift @token // 'its end';
    die "'$wanted' is missing before $got\n" unless $got eq $wanted;
}

# {...} or one token as it is written, for words
sub raw_group {
    shift @token while peek() =~ /^\s+$/;
    return shift @token if peek() =~ /^\w$/;
    expect('{');
    my ($depth, $text) = (1, '');
    while (@token) {
        my $t = shift @token;
        $depth++ if $t eq '{';
        $depth-- if $t eq '}';
        return $text if $depth == 0;
        $t =~ s/^\\([_ \$])$/$1/;
        $text .= $t unless $t eq '{' || $t eq '}';
    }
    die "a group { does not end\n";
}

# one argument: a group, or one token
sub argument {
    shift @token while peek() =~ /^\s+$/;
    return group() if peek() eq '{';
    # of a number without braces only the first digit: \tfrac12
    if (peek() =~ /^(\d)([\d.]+)$/) {
        my ($first, $rest) = ($1, $2);
        $token[0] = $rest;
        return element('mn', $first);
    }
    return atom();
}

sub group {
    expect('{');
    my $inside = row('}');
    expect('}');
    return element('mrow', $inside);
}

sub words {
    my ($style, $text) = @_;
    if ($style eq 'text') {
        # blanks at the ends count
        $text =~ s/^\s+|\s+$/\x{a0}/g;
        return element('mtext', escape($text));
    }
    return element('mi', escape($text), 'mathvariant="normal"') . '<mspace width="0.17em"/>' if $style eq 'word';
    return element('mi', join '', map { $double{$_} // die "\\mathbb{$_} is not known\n" } split //, $text)
        if $style eq 'double';
    return element('mtext', escape($text), 'style="font-family: monospace"') if $style eq 'monospace';
    return element('mi', escape($text), 'mathvariant="normal"' . ($style eq 'bold' ? ' style="font-weight: bold"' : ''));
}

sub table {
    my ($kind) = @_;
    my ($rows, @cells) = ('');
    for (;;) {
        push @cells, element('mtd', row('&', '\\\\', '\end'));
        my $t = shift @token // die "\\begin{$kind} does not end\n";
        next if $t eq '&';
        $rows .= element('mtr', join '', @cells) unless $t eq '\end' && "@cells" eq '<mtd></mtd>';
        @cells = ();
        last if $t eq '\end';
    }
    my $end = raw_group();
    die "\\begin{$kind} ends with \\end{$end}\n" unless $end eq $kind;
    # style.css draws the brackets
    return element('mtable', $rows, 'class="matrix"') if $kind eq 'pmatrix';
    return element('mtable', $rows, 'class="cases" columnalign="left"') if $kind eq 'cases';
    return element('mtable', $rows, 'columnalign="right left" displaystyle="true"') if $kind eq 'aligned';
    die "\\begin{$kind} is not known\n";
}

sub delimiter {
    shift @token while peek() =~ /^\s+$/;
    my $t = shift @token // '';
    die "'$t' is not known as a bracket\n" unless exists $fence{$t};
    return $fence{$t};
}

sub command {
    my ($name) = @_;
    return element('mi', $letter{$name}, $name =~ /^[A-Z]/ ? 'mathvariant="normal"' : '') if $letter{$name};
    return element('mi', $name) . (peek() =~ /^[(_^]|^\\[lb]/ ? '' : '<mspace width="0.17em"/>') if $word{$name};
    return sign($sign{$name}) if exists $sign{$name};
    return fence($fence{"\\$name"}) if exists $fence{"\\$name"};
    return qq(<mspace width="$space{$name}em"/>) if exists $space{$name};
    return words($style{$name}, raw_group()) if $style{$name};
    if ($accent{$name}) {
        return element('mover', argument() . sign($accent{$name}, 'stretchy="false"'), 'accent="true"');
    }
    if ($name =~ /^[td]?frac$/) {
        my $fraction = element('mfrac', argument() . argument());
        return $name eq 'tfrac' ? element('mstyle', $fraction, 'displaystyle="false"') : $fraction;
    }
    if ($name eq 'sqrt') {
        return element('msqrt', argument()) unless peek() eq '[';
        shift @token;
        my $index = row(']');
        expect(']');
        return element('mroot', argument() . element('mrow', $index));
    }
    if ($name eq 'left') {
        my $open = sign(delimiter(), 'stretchy="true" fence="true"');
        my $inside = row('\right');
        expect('\right');
        return element('mrow', $open . $inside . sign(delimiter(), 'stretchy="true" fence="true"'));
    }
    if ($size{$name}) {
        my $em = $size{$name} . 'em';
        return sign(delimiter(), qq(stretchy="true" symmetric="true" minsize="$em" maxsize="$em"));
    }
    return table(raw_group()) if $name eq 'begin';
    return argument() if $name eq 'mathrel' || $name eq 'mathbin';
    return '' if $name eq 'displaystyle' || $name eq 'limits';
    die "the command \\$name is not known\n";
}

my %ascii = ('-' => '−', '*' => '∗', '~' => "\x{a0}");

# one thing that may carry indices
sub atom {
    my $t = shift @token // die "something is missing at the end\n";
    if ($t eq '{') { unshift @token, $t; return group() }
    return element('mi', $t) if $t =~ /^[A-Za-z]$/;
    return element('mn', $t) if $t =~ /^\d/;
    return command($1) if $t =~ /^\\(.+)$/s;
    return fence($fence{$t}) if $t =~ m{^[()\[\]|]$};
    return '<mo>′</mo>' if $t eq "'";
    return sign($ascii{$t} // $t) if $t =~ m{^[-+=<>,;:!/.*~?]$} || $t =~ /^[^\x00-\x7f]$/;
    die "'$t' is not known\n";
}

# atoms with their indices, up to one of @ends
sub row {
    my @ends = @_;
    my $out = '';
    while (@token) {
        my $next = peek();
        last if grep { $next eq $_ } @ends;
        if ($next =~ /^\s+$/) { shift @token; next }
        my $base = $next eq '_' || $next eq '^' ? element('mrow', '') : atom();
        my $limits = $next =~ /^\\(sum|prod|max|min|lim|sup|inf)$/;
        my ($below, $above, $primes) = ('', '', '');
        while (peek() =~ /^[_^']$/) {
            my $t = shift @token;
            if ($t eq "'") { $primes .= '′' }
            elsif ($t eq '_') { $below = argument() }
            else { $above = argument() }
        }
        # fonts raise a prime themselves
        $base = element('mrow', $base . element('mo', $primes, 'lspace="0" rspace="0"')) if $primes;
        my ($sub, $sup, $both) = $limits && $display ? ('munder', 'mover', 'munderover') : ('msub', 'msup', 'msubsup');
        $base =~ s{<mspace width="0.17em"/>$}{} if $below || $above;
        $out .= $below && $above ? element($both, $base . $below . $above)
            : $below ? element($sub, $base . $below)
            : $above ? element($sup, $base . $above)
            : $base;
    }
    return $out;
}

sub mathml {
    my ($tex, $displayed) = @_;
    $display = $displayed;
    my $label = $tex =~ s/\\tag\{([^}]*)\}// ? $1 : '';
    @token = $tex =~ /\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\s+|./gs;
    # words keep their blanks, commands swallow those behind them
    my $inside = row();
    die "'$token[0]' stands alone\n" if @token;
    my $math = element('math', $inside, $displayed ? 'display="block"' : '');
    return $math unless $displayed;
    return qq(<div class="formula">$math) . ($label ? qq(<span class="number">($label)</span>) : '') . '</div>';
}

1;
